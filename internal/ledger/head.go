package ledger

import (
	"bytes"
	"strings"
)

// headOf reads v, op and seq where an entry begins with them, as those do that
// this package writes, and how far they go. Not ok is any other form.
func headOf(payload []byte) (h head, end int, ok bool) {
	rest, ok1 := bytes.CutPrefix(payload, []byte(`{"v":`))
	v, rest, ok2 := number(rest)
	rest, ok3 := bytes.CutPrefix(rest, []byte(`,"op":"`))
	n := bytes.IndexByte(rest, '"')
	if !ok1 || !ok2 || !ok3 || n < 0 || !validOp(string(rest[:min(n, 41)])) {
		return h, 0, false
	}
	h.Op = string(rest[:n])
	rest, ok1 = bytes.CutPrefix(rest[n:], []byte(`","seq":`))
	seq, rest, ok2 := number(rest)
	if !ok1 || !ok2 || len(rest) == 0 || rest[0] != ',' && rest[0] != '}' {
		return h, 0, false
	}
	h.V, h.Seq = &v, &seq
	return h, len(payload) - len(rest), true
}

// number reads a number of at most 18 digits.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && i < 19 && b[i] >= '0' && b[i] <= '9'; i++ {
		n = 10*n + uint64(b[i]-'0')
	}
	return n, b[i:], i > 0 && i < 19 && (b[0] != '0' || i == 1)
}

// onlyHead reports whether no key of the rest of an object, which is sound JSON
// without blanks, could be taken for one of the head.
func onlyHead(rest []byte) bool {
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			n := quoted(rest[i:])
			if n == 0 {
				return false
			}
			if end := i + n; depth == 0 && end < len(rest) && rest[end] == ':' && !otherKey(rest[i+1:end-1]) {
				return false
			}
			i += n - 1
		case ' ':
			return false
		}
	}
	return depth == -1 && rest[len(rest)-1] == '}'
}

// quoted is the length of the string b begins with, 0 if it does not end.
func quoted(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// otherKey reports whether no decoder takes a key for one of the head.
func otherKey(key []byte) bool {
	for _, b := range key {
		if b < ' ' || b >= 0x80 || b == '\\' {
			return false
		}
	}
	if len(key) > 3 {
		return true
	}
	k := strings.ToLower(string(key))
	return k != "v" && k != "op" && k != "seq"
}
