package ship

import "bytes"

// A Taken is one commit that a message says it takes back. Ids may be
// abbreviated to as few as four digits.
type Taken struct {
	ID string

	// Base is the side of a merge that the revert went back to, "" when the
	// message names none.
	Base string
}

// revertPhrase is what git writes into the message of a revert, however it was
// wrapped since. With --reference a subject and a date follow the id.
var revertPhrase = pattern(`\b[Tt]his\s+reverts\s+commit\s+([0-9a-fA-F]{4,64})\b(?:(?: \(.{0,400}?\))?,\s+reversing\s+changes\s+made\s+to\s+([0-9a-fA-F]{4,64})\b)?`)

// Reverts reads the commits that a raw message takes back, wherever it says
// so: a squashed message may hold several.
func Reverts(message []byte) []Taken {
	if !bytes.Contains(message, []byte("reverts")) {
		return nil
	}
	var found []Taken
	for _, m := range revertPhrase().FindAllSubmatch(message, -1) {
		found = append(found, Taken{ID: lowerHex(m[1]), Base: lowerHex(m[2])})
	}
	return found
}

func lowerHex(id []byte) string { return string(bytes.ToLower(id)) }
