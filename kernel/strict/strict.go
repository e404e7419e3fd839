// Package strict reads JSON that a caller wrote by hand or by script.
//
// Such text is a request, and a request that is half understood is answered
// wrongly: a misspelt name would leave a guard out, and a number in quotes
// would read as none. So a field that nobody reads is an error, and so are one
// that stands twice, a value of another type, null where something must be
// known, and text that is not UTF-8. Every error names the field it is about.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"
)

// A Field is where a value goes. Into is a pointer to a bool, an int64, a
// string or a json.RawMessage, or to a pointer to one of them.
type Field struct {
	Into     any
	Null     bool // null says that it is not known, and leaves Into as it is
	Word     bool // text may not be empty
	Required bool
}

// Object reads one JSON object of at most that many bytes into its fields. The
// name is what its errors call the whole.
func Object(name string, data []byte, most int, fields map[string]Field) error {
	switch {
	case len(data) > most:
		return fmt.Errorf("%s is longer than %d bytes", name, most)
	case !utf8.Valid(data):
		return fmt.Errorf("%s is not UTF-8", name)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("%s is not a JSON object", name)
	}
	seen, err := readFields(name, d, fields)
	if err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%s is more than one JSON object", name)
	}
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		if fields[f].Required && !seen[f] {
			return fmt.Errorf("%s is missing", f)
		}
	}
	return nil
}

// readFields reads one value after the other, so that each error can name the
// field it is about.
func readFields(name string, d *json.Decoder, fields map[string]Field) (seen map[string]bool, err error) {
	seen = map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("%s is not JSON: %w", name, err)
		}
		word, _ := key.(string)
		f, known := fields[word]
		switch {
		case !known:
			return nil, fmt.Errorf("%s has a field %.80q, which nothing reads", name, word)
		case seen[word]:
			return nil, fmt.Errorf("%s is stated twice", word)
		}
		seen[word] = true
		if err := f.read(d); err != nil {
			return nil, fmt.Errorf("%s %w", word, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", name, err)
	}
	return seen, nil
}

func (f Field) read(d *json.Decoder) error {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return fmt.Errorf("has no JSON value: %w", err)
	}
	switch null := string(raw) == "null"; {
	case null && f.Null:
		return nil
	case null:
		return errors.New("is null")
	case f.Word && string(raw) == `""`:
		return errors.New("is empty")
	}
	if err := json.Unmarshal(raw, f.Into); err != nil {
		return fmt.Errorf("is %.80q, which is %s", raw, unfit(f.Into))
	}
	return nil
}

func unfit(into any) string {
	switch into.(type) {
	case *bool, **bool:
		return "neither true nor false"
	case *int64, **int64:
		return "not a whole number that fits"
	}
	return "not text"
}
