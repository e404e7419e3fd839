package main

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Two parts that many rules of gitleaks share: what stands between a name and
// the value assigned to it, and what ends a value.
const (
	assigned = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
	ending   = `(?:[\x60'"\s;]|\\[nr]|$)`
)

// A run is what every match, without its ending, consists of: at least so many
// bytes, all of these.
type run struct {
	least int
	bytes string // pairs of a first and a last ASCII character; all bytes beyond ASCII count as well
}

func runOf(expr string) (run, error) {
	re, err := syntax.Parse(strings.TrimSuffix(expr, ending), syntax.Perl)
	if err != nil {
		return run{}, err
	}
	var set [utf8.RuneSelf]bool
	collect(re, &set)
	r := run{least: least(re)}
	for c := 0; c < utf8.RuneSelf; c++ {
		if !set[c] {
			continue
		}
		first := c
		for c+1 < utf8.RuneSelf && set[c+1] {
			c++
		}
		r.bytes += string([]byte{byte(first), byte(c)})
	}
	return r, nil
}

// least is the length in bytes of the shortest match.
func least(re *syntax.Regexp) (n int) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpStar, syntax.OpQuest:
		return 0
	case syntax.OpRepeat:
		return re.Min * least(re.Sub[0])
	case syntax.OpAlternate:
		n = least(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			n = min(n, least(sub))
		}
		return n
	}
	for _, sub := range re.Sub {
		n += least(sub)
	}
	return n
}

// collect adds every byte that a match may have.
func collect(re *syntax.Regexp, set *[utf8.RuneSelf]bool) {
	add := func(lo, hi rune) {
		for r := lo; r <= min(hi, utf8.RuneSelf-1); r++ {
			set[r] = true
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			add(r, r)
			if re.Flags&syntax.FoldCase != 0 {
				for _, other := range []string{strings.ToLower(string(r)), strings.ToUpper(string(r))} {
					f, _ := utf8.DecodeRuneInString(other)
					add(f, f)
				}
			}
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			add(re.Rune[i], re.Rune[i+1])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		add(0, utf8.MaxRune)
	}
	for _, sub := range re.Sub {
		collect(sub, set)
	}
}

// assignedTo reports whether every match is a name with one of the words, and
// what is assigned to it.
func assignedTo(expr string, words []string) bool {
	name, _, ok := strings.Cut(expr, assigned)
	re, err := syntax.Parse(name, syntax.Perl)
	return ok && err == nil && has(re, words)
}
