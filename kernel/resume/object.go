package resume

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// An object is a JSON object with its keys exactly as they were spelled.
type object map[string]json.RawMessage

// blanks are what JSON allows between its parts.
const blanks = " \t\r\n"

// readObject refuses what two readers could read in two ways: a key that
// stands twice, bytes after the end, text that is not UTF-8.
func readObject(data []byte) (object, error) {
	switch {
	case len(data) > maxRow:
		return nil, fmt.Errorf("it has %d bytes, at most %d", len(data), maxRow)
	case !utf8.Valid(data):
		return nil, errors.New("it is not UTF-8")
	case !json.Valid(data):
		return nil, errors.New("it is no JSON")
	}
	rest := bytes.TrimLeft(data, blanks)
	if rest[0] != '{' {
		return nil, errors.New("it is no JSON object")
	}
	o := object{}
	for {
		rest = bytes.TrimLeft(rest[1:], blanks) // past the brace or the comma
		if rest[0] == '}' {
			return o, nil
		}
		key, after := cutValue(rest)
		value, after := cutValue(bytes.TrimLeft(after, blanks+":"))
		name, err := readString(key)
		if err != nil {
			return nil, err
		}
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("key %.40q stands twice", name)
		}
		o[name], rest = value, bytes.TrimLeft(after, blanks)
		if rest[0] == '}' {
			return o, nil
		}
	}
}

// cutValue cuts the value off that valid JSON begins with.
func cutValue(data []byte) (value, rest []byte) {
	depth, i := 0, 0
	for ; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			i = endOfString(data, i)
		case c == '{' || c == '[':
			depth++
		case depth == 0 && strings.IndexByte(blanks+",]}", c) >= 0:
			return data[:i], data[i:]
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && (data[i] == '"' || data[i] == '}' || data[i] == ']') {
			i++
			break
		}
	}
	return data[:i], data[i:]
}

// endOfString is where the string ends that begins at i.
func endOfString(data []byte, i int) int {
	for i++; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}
