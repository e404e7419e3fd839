package policy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A kind is a type of value: how the documentation names it, how it is read
// from the file and how it is written back.
type kind[T any] struct {
	name string // as in the documentation
	want string // with its article, as in messages
	read func(*node) (T, *fault)
	show func(T) string // TOML, or "" for no value
}

// text is a string that passes every check.
func text(checks ...func(string) *fault) kind[string] {
	return kind[string]{
		name: "string", want: "a string",
		read: func(n *node) (string, *fault) {
			if n.kind != stringKind {
				return "", mistyped(n, "a string")
			}
			if strings.ContainsRune(n.text, 0) {
				return "", faultf("contains a NUL character")
			}
			for _, check := range checks {
				if f := check(n.text); f != nil {
					return "", f
				}
			}
			return n.text, nil
		},
		show: func(s string) string {
			if s == "" {
				return ""
			}
			return tomlString(s)
		},
	}
}

// line is a non-empty string without control characters.
func line(checks ...func(string) *fault) kind[string] {
	return text(append([]func(string) *fault{checkLine}, checks...)...)
}

func (k kind[T]) called(name string) kind[T] {
	k.name = name
	return k
}

func checkLine(s string) *fault {
	if strings.TrimSpace(s) == "" {
		return faultf("must not be blank")
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return faultf("must not contain control characters, %s does", quoted(s))
	}
	return nil
}

func boolean() kind[bool] {
	return kind[bool]{
		name: "bool", want: "true or false",
		read: func(n *node) (bool, *fault) {
			if n.kind != boolKind {
				return false, mistyped(n, "true or false")
			}
			return n.flag, nil
		},
		show: strconv.FormatBool,
	}
}

// integer is a whole number from lo to hi.
func integer[T int | int64](lo, hi int64) kind[T] {
	return kind[T]{
		name: "int", want: "an integer",
		read: func(n *node) (T, *fault) {
			switch {
			case n.kind != intKind:
				return 0, mistyped(n, "an integer")
			case n.num < lo:
				return 0, faultf("must be at least %d, not %d", lo, n.num)
			case n.num > hi:
				return 0, faultf("must be at most %d, not %d", hi, n.num)
			}
			return T(n.num), nil
		},
		show: func(v T) string { return strconv.FormatInt(int64(v), 10) },
	}
}

// count is an integer of at least lo that fits every platform.
func count(lo int64) kind[int] { return integer[int](lo, math.MaxInt32) }

// number is an integer or a float from lo to hi, never NaN.
func number(lo, hi float64, within string) kind[float64] {
	return kind[float64]{
		name: "number", want: "a number",
		read: func(n *node) (float64, *fault) {
			v := n.real
			switch n.kind {
			case intKind:
				v = float64(n.num)
			case floatKind:
			default:
				return 0, mistyped(n, "a number")
			}
			if !(v >= lo && v <= hi) {
				return 0, faultf("must be %s, not %s", within, strconv.FormatFloat(v, 'g', -1, 64))
			}
			return v, nil
		},
		show: func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
	}
}

// enum is one of a closed list of strings.
func enum[T ~string](values ...T) kind[T] {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = tomlString(string(v))
	}
	all := strings.Join(words, " or ")
	return kind[T]{
		name: all, want: "a string",
		read: func(n *node) (T, *fault) {
			if n.kind != stringKind {
				return "", mistyped(n, "a string")
			}
			if !slices.Contains(values, T(n.text)) {
				return "", faultf("must be %s, not %s", all, quoted(n.text))
			}
			return T(n.text), nil
		},
		show: func(v T) string {
			if v == "" {
				return ""
			}
			return tomlString(string(v))
		},
	}
}

// list is a list of one kind. A single value is not a list.
func list[T any](of kind[T]) kind[[]T] {
	want := "a list of " + plural(of.want)
	return kind[[]T]{
		name: "[" + of.name + "]", want: want,
		read: func(n *node) ([]T, *fault) {
			if n.kind != arrayKind || n.origin != inline {
				return nil, mistyped(n, want)
			}
			out := make([]T, 0, len(n.items))
			for i, item := range n.items {
				v, f := of.read(item)
				if f != nil {
					f.message = fmt.Sprintf("entry %d %s", i+1, f.message)
					f.line = item.line
					return nil, f
				}
				out = append(out, v)
			}
			return out, nil
		},
		show: func(v []T) string {
			words := make([]string, len(v))
			for i, e := range v {
				if words[i] = of.show(e); words[i] == "" {
					words[i] = `""`
				}
			}
			return "[" + strings.Join(words, ", ") + "]"
		},
	}
}

func plural(want string) string {
	want = strings.TrimPrefix(strings.TrimPrefix(want, "an "), "a ")
	return want + "s"
}

// argv is a command line: a program and its arguments, or nothing.
func argv() kind[[]string] {
	k := list(text())
	read := k.read
	k.read = func(n *node) ([]string, *fault) {
		words, f := read(n)
		if f == nil && len(words) > 0 && strings.TrimSpace(words[0]) == "" {
			return nil, faultf("must name a program in its first entry")
		}
		return words, f
	}
	return k
}

// budget is a count of at least one, or 0 in the policy when it is unstated.
func budget() kind[int] {
	k := count(1)
	show := k.show
	k.show = func(v int) string {
		if v == 0 {
			return ""
		}
		return show(v)
	}
	return k
}

// optional is a kind whose value may be absent.
func optional[T any](of kind[T]) kind[*T] {
	return kind[*T]{
		name: of.name, want: of.want,
		read: func(n *node) (*T, *fault) {
			v, f := of.read(n)
			if f != nil {
				return nil, f
			}
			return &v, nil
		},
		show: func(v *T) string {
			if v == nil {
				return ""
			}
			return of.show(*v)
		},
	}
}

// unbounded is a count that may be -1 or "none" for no limit.
func unbounded() kind[int] {
	k := count(-1)
	read := k.read
	k.name = `int or "none"`
	k.read = func(n *node) (int, *fault) {
		if n.kind == stringKind && n.text == "none" {
			return -1, nil
		}
		return read(n)
	}
	return k
}

// maxDuration keeps sums and small multiples of two durations in range.
const maxDuration = 3650 * 24 * time.Hour
