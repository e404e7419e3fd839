package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// An Object is a JSON object whose fields stand in their order and keep their
// bytes, so that a writer changes those it knows and no other. The zero Object
// has no fields.
type Object struct{ fields []field }

type field struct {
	key   string
	value json.RawMessage
}

// ParseObject reads one JSON object. A key that stands twice is an error: two
// readers might each believe another one.
func ParseObject(b []byte) (Object, error) {
	var o Object
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return o, errors.Join(errors.New("not a JSON object"), err)
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return o, err
		}
		key, _ := t.(string) // the decoder lets nothing else through
		if seen[key] {
			return o, fmt.Errorf("key %.40q stands twice", key)
		}
		seen[key] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return o, err
		}
		o.fields = append(o.fields, field{key, value})
	}
	if _, err := d.Token(); err != nil {
		return o, err
	}
	if d.More() {
		return o, errors.New("more than one JSON value")
	}
	return o, nil
}

// Get returns a field as it stands.
func (o Object) Get(key string) (json.RawMessage, bool) {
	i := o.find(key)
	if i < 0 {
		return nil, false
	}
	return o.fields[i].value, true
}

// Set replaces a field where it stands, or adds it at the end. The value must
// be JSON.
func (o *Object) Set(key string, value json.RawMessage) {
	if i := o.find(key); i >= 0 {
		o.fields[i].value = value
		return
	}
	o.fields = append(o.fields, field{key, value})
}

// setFirst is Set of a number that stands first when it is new.
func (o *Object) setFirst(key string, n uint64) {
	if o.find(key) < 0 {
		o.fields = slices.Insert(o.fields, 0, field{key: key})
	}
	o.Set(key, strconv.AppendUint(nil, n, 10))
}

// clone is a copy whose fields may be set.
func (o Object) clone() Object { return Object{slices.Clone(o.fields)} }

func (o Object) find(key string) int {
	return slices.IndexFunc(o.fields, func(f field) bool { return f.key == key })
}

// Encode returns the object without blanks between its tokens.
func (o Object) Encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o.fields {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := encode(f.key)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		if err := json.Compact(&b, f.value); err != nil {
			return nil, fmt.Errorf("field %.40q: %w", f.key, err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
