package verdict

import "encoding/json"

// OrNull writes a word as JSON, and null where there is none. A type whose
// absence is null calls it from its MarshalJSON.
func OrNull[Word ~string](w Word) ([]byte, error) {
	if w == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(w))
}
