package lane

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// jsonText returns a list that a caller hands over without its byte order
// mark. Its error, for text that is no JSON or takes more than so many bytes,
// follows the name of the text.
func jsonText(data []byte, most int) (json.RawMessage, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case len(data) > most:
		return nil, fmt.Errorf("has more than %d bytes", most)
	case !utf8.Valid(data):
		return nil, errors.New("is not valid UTF-8")
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("is empty: an empty list is []")
	}
	return data, jsonSyntax(data)
}

// jsonSyntax reports the first byte that is not JSON by line and column.
func jsonSyntax(data []byte) error {
	var syntax *json.SyntaxError
	err := json.Unmarshal(data, new(json.RawMessage))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), !errors.As(err, &syntax):
		return fmt.Errorf("is not JSON: %w", err)
	}
	before := data[:min(max(0, int(syntax.Offset)-1), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("is not JSON, at line %d column %d: %w", line, column, err)
}

// jsonObject decodes an object. A key that is there twice is an error: nobody
// can tell which was meant.
func jsonObject(raw json.RawMessage, where string) (map[string]json.RawMessage, error) {
	if got := jsonKind(raw); got != "an object" {
		return nil, fmt.Errorf("%s is %s, want an object", where, got)
	}
	fields := map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil { // the brace
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		name, _ := key.(string)
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("%s has the key %q twice", where, verdict.Clip(name))
		}
		fields[name] = value
	}
	return fields, nil
}

// jsonField returns a value of an object; null is as good as absent.
func jsonField(fields map[string]json.RawMessage, key string) (raw json.RawMessage, given bool) {
	raw, ok := fields[key]
	return raw, ok && jsonKind(raw) != "null"
}

// jsonValue decodes a value that must be of a kind; where is its place.
func jsonValue(raw json.RawMessage, want, where string, to any) error {
	if got := jsonKind(raw); got != want {
		return fmt.Errorf("%s is %s, want %s", where, got, want)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// jsonStrings decodes an array of strings.
func jsonStrings(raw json.RawMessage, where string) ([]string, error) {
	var items []json.RawMessage
	if err := jsonValue(raw, "an array", where, &items); err != nil {
		return nil, err
	}
	list := make([]string, len(items))
	for i, item := range items {
		if err := jsonValue(item, "a string", fmt.Sprintf("%s[%d]", where, i), &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// jsonKind names what a well-formed value is.
func jsonKind(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
