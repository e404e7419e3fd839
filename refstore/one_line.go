package refstore

import (
	"bytes"
	"encoding/json"
)

// oneLine reports whether b is one value of JSON that holds no line break.
func oneLine(b []byte) bool {
	return soundLine(b) || json.Valid(b) && !bytes.ContainsAny(b, "\n\r\x00")
}

// soundLine is oneLine for what is in the form that git-dos writes, without
// blanks. It may say no to what is sound in another.
func soundLine(b []byte) bool {
	end := passValue(b, 0, 0)
	return end > 0 && end == len(b)
}

const maxNested = 60

// passValue is where the value that begins at i ends, 0 when it is not in that
// form.
func passValue(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxNested {
		return 0
	}
	switch c := b[i]; {
	case c == '"':
		return passString(b, i)
	case c == '{' || c == '[':
		return passNested(b, i, depth)
	case c == '-' || c >= '0' && c <= '9':
		return passNumber(b, i)
	}
	for _, w := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(b[i:], []byte(w)) {
			return i + len(w)
		}
	}
	return 0
}

func passNested(b []byte, i, depth int) int {
	keyed := b[i] == '{'
	closing := b[i] + 2 // of either
	if i++; i < len(b) && b[i] == closing {
		return i + 1
	}
	for i < len(b) {
		if keyed {
			if i = passString(b, i); i == 0 || i >= len(b) || b[i] != ':' {
				return 0
			}
			i++
		}
		if i = passValue(b, i, depth+1); i == 0 || i >= len(b) {
			return 0
		}
		switch b[i] {
		case closing:
			return i + 1
		case ',':
			i++
		default:
			return 0
		}
	}
	return 0
}

// plain are the bytes that stand for themselves in a string.
var plain = func() (all [256]bool) {
	for i := range all {
		all[i] = i >= ' ' && i != '"' && i != '\\'
	}
	return all
}()

func passString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return 0
	}
	for i++; ; i++ {
		for i < len(b) && plain[b[i]] {
			i++
		}
		switch {
		case i >= len(b):
			return 0
		case b[i] == '"':
			return i + 1
		case b[i] != '\\' || i+1 >= len(b) || bytes.IndexByte([]byte(`"\/bfnrt`), b[i+1]) < 0:
			return 0 // \u is left to the decoder
		}
		i++
	}
}

// passNumber passes whole numbers.
func passNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	from := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == from || b[from] == '0' && i > from+1 {
		return 0
	}
	return i
}
