package pick

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of what is read.
const (
	MaxPacket = 8 << 20 // bytes of a packet, or of a list of attempts
	MaxState  = 64 << 10
	maxWord   = 512 // bytes of a name or a token
)

// checkText reports what makes bytes unfit to be read as JSON.
func checkText(data []byte, most int) error {
	switch {
	case len(data) > most:
		return fmt.Errorf("is longer than %d bytes", most)
	case !utf8.Valid(data):
		return errors.New("is not UTF-8")
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("is empty")
	}
	return nil
}

// members reads one JSON object and nothing behind it. A name that stands in it
// twice is an error: which of its values was meant cannot be told.
func members(data []byte) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	err := within(data, '{', "an object", func(d *json.Decoder) error {
		key, err := d.Token()
		if err != nil {
			return fmt.Errorf("is not JSON: %w", err)
		}
		name, _ := key.(string)
		if _, twice := all[name]; twice {
			return fmt.Errorf("states %.80q twice", name)
		}
		all[name], err = nextValue(d)
		return err
	})
	return all, err
}

// elements reads one JSON list and nothing behind it.
func elements(data []byte) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	err := within(data, '[', "a list", func(d *json.Decoder) error {
		value, err := nextValue(d)
		all = append(all, value)
		return err
	})
	return all, err
}

func within(data []byte, open json.Delim, what string, next func(*json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	start, err := d.Token()
	switch {
	case err != nil:
		return errors.New("is not JSON")
	case start != open:
		return fmt.Errorf("is not %s", what)
	}
	for d.More() {
		if err := next(d); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return errors.New("is not JSON: it ends too early")
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("has more behind its end")
	}
	return nil
}

func nextValue(d *json.Decoder) (json.RawMessage, error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	return raw, nil
}

// A fields is an object of which what is known is taken, one member after the
// other, and whatever else stands in it let pass: a packet may have been written
// by a later version. The first that is unfit stays in err.
type fields struct {
	of  map[string]json.RawMessage
	err error
}

func (f *fields) fail(name, why string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s %s", name, why)
	}
}

// text is a string, "" where it is absent or null.
func (f *fields) text(name string) (s string) {
	raw, ok := f.of[name]
	switch {
	case !ok || isNull(raw):
	case json.Unmarshal(raw, &s) != nil:
		f.fail(name, fmt.Sprintf("is %.80s, which is no string", raw))
	case len(s) > maxWord:
		f.fail(name, fmt.Sprintf("has %d bytes, at most %d", len(s), maxWord))
	}
	return s
}

// flag is a boolean, preset where it is absent; null is none.
func (f *fields) flag(name string, preset bool) (b bool) {
	raw, ok := f.of[name]
	switch {
	case !ok:
		return preset
	case isNull(raw) || json.Unmarshal(raw, &b) != nil:
		f.fail(name, fmt.Sprintf("is %.80s, which is neither true nor false", raw))
	}
	return b
}

// whole is a whole number, ok unless it is absent or null.
func (f *fields) whole(name string) (n int64, ok bool) {
	raw, ok := f.of[name]
	if !ok || isNull(raw) {
		return 0, false
	}
	if json.Unmarshal(raw, &n) != nil {
		f.fail(name, fmt.Sprintf("is %.80s, which is no whole number that fits", raw))
	}
	return n, f.err == nil
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

// blank reports whether a name says nothing.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
