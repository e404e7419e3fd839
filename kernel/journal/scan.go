package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

var errNoObject = errors.New("no JSON object")

// scanObject visits the keys of an object and their values as they stand, in
// one pass and without decoding what nobody asks for. It is not strict about
// the values, nor about what follows the object: whoever decodes it is. It refuses what one reader could take
// another value from than the next: twice the same key, or one of the known
// keys in other letters.
func scanObject(data []byte, known map[string]bool, visit func(key string, value []byte)) error {
	p := bytes.TrimSpace(data)
	if len(p) == 0 || p[0] != '{' {
		return errNoObject
	}
	p = bytes.TrimLeft(p[1:], blanks)
	seen := make(map[string]bool, 16)
	for first := true; len(p) > 0 && p[0] != '}'; first = false {
		if !first {
			if p[0] != ',' {
				return errors.New("malformed object")
			}
			p = bytes.TrimLeft(p[1:], blanks)
		}
		n := skipString(p)
		if n == 0 {
			return errors.New("malformed key")
		}
		key, err := keyOf(p[:n], known)
		switch {
		case err != nil:
			return err
		case seen[key]:
			return fmt.Errorf("key %.40q twice", key)
		}
		seen[key] = true
		p = bytes.TrimLeft(p[n:], blanks)
		if len(p) == 0 || p[0] != ':' {
			return errors.New("malformed object")
		}
		p = bytes.TrimLeft(p[1:], blanks)
		n = skipValue(p)
		visit(key, p[:n])
		p = bytes.TrimLeft(p[n:], blanks)
	}
	if len(p) == 0 {
		return errors.New("unexpected end of JSON")
	}
	return nil
}

const blanks = " \t\r\n"

// keyOf is a key without its quotes. The decoder takes letters of either case,
// and some that only fold to them, for a known key.
func keyOf(quoted []byte, known map[string]bool) (key string, err error) {
	key = string(quoted[1 : len(quoted)-1])
	if strings.Contains(key, `\`) {
		if err := json.Unmarshal(quoted, &key); err != nil {
			return "", err
		}
	}
	if known[key] {
		return key, nil
	}
	if low := strings.ToLower(strings.ToUpper(key)); low != key && known[low] {
		return "", fmt.Errorf("key %.40q for %q", key, low)
	}
	return key, nil
}

// skipString is the length of the string that p begins with, 0 if it does not.
func skipString(p []byte) int {
	if len(p) == 0 || p[0] != '"' {
		return 0
	}
	for i := 1; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// skipValue is the length of the value that p begins with.
func skipValue(p []byte) int {
	depth := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '"':
			n := skipString(p[i:])
			if n == 0 {
				return len(p)
			}
			i += n - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(p)
}

// keysOf are the JSON keys of a struct.
func keysOf[T any]() map[string]bool {
	t := reflect.TypeFor[T]()
	keys := map[string]bool{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			keys[name] = true
		}
	}
	return keys
}
