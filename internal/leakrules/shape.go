package main

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// A shape is what decides how much of a text a rule must be tried on.
type shape struct {
	reach int  // the longest match in bytes; 0 unbounded
	lines bool // a match may span lines
	far   bool // it could not be shown that each match has one of the words
}

func shapeOf(expr string, words []string) (shape, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return shape{}, err
	}
	return shape{longest(re), spans(re), !has(re, words)}, nil
}

// longest is the length in bytes of the longest match, 0 where there is none.
func longest(re *syntax.Regexp) int {
	n, ok := length(re)
	if !ok {
		return 0
	}
	return n
}

func length(re *syntax.Regexp) (n int, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune) * utf8.UTFMax, true
	case syntax.OpCharClass:
		if last := re.Rune[len(re.Rune)-1]; last < utf8.RuneSelf {
			return 1, true
		}
		return utf8.UTFMax, true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax, true
	case syntax.OpStar, syntax.OpPlus:
		return 0, false
	case syntax.OpRepeat:
		n, ok := length(re.Sub[0])
		return n * re.Max, ok && re.Max >= 0
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			m, ok := length(sub)
			if !ok {
				return 0, false
			}
			n = max(n, m)
		}
		return n, true
	}
	for _, sub := range re.Sub { // a concatenation, a group, or what is optional
		m, ok := length(sub)
		if !ok {
			return 0, false
		}
		n += m
	}
	return n, true
}

// spans reports whether a match may go over more than the blanks around an
// assignment, of which one may be the end of a line.
func spans(re *syntax.Regexp) bool {
	many := re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && (re.Max < 0 || re.Max > 5)
	switch {
	case many && takesNewline(re.Sub[0]):
		return true
	case re.Op == syntax.OpCharClass && slices.Equal(re.Rune, []rune{'\n', '\n', '\r', '\r'}):
		return true
	}
	return slices.ContainsFunc(re.Sub, spans)
}

func takesNewline(re *syntax.Regexp) bool {
	if re.Op != syntax.OpCharClass {
		return re.Op == syntax.OpAnyChar || slices.ContainsFunc(re.Sub, takesNewline)
	}
	for i := 0; i < len(re.Rune); i += 2 {
		if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
			return true
		}
	}
	return false
}

// has reports whether every match holds one of the words, in any case.
func has(re *syntax.Regexp, words []string) bool { return hasAfter([]string{""}, re, words) }

// hasAfter is has of what follows one of a few exact texts.
func hasAfter(before []string, re *syntax.Regexp, words []string) bool {
	if allHave(product(before, exact(re)), words) {
		return true
	}
	switch re.Op {
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !hasAfter(before, sub, words) })
	case syntax.OpPlus, syntax.OpCapture:
		return hasAfter(before, re.Sub[0], words)
	case syntax.OpRepeat:
		return re.Min > 0 && hasAfter(before, re.Sub[0], words)
	case syntax.OpConcat:
		for _, part := range re.Sub {
			if hasAfter(before, part, words) {
				return true
			}
			if before = product(before, exact(part)); before == nil {
				before = []string{""}
			}
		}
	}
	return false
}

func allHave(texts, words []string) bool {
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	})
}

// mostTexts bounds what is spelled out.
const mostTexts = 256

// exact lists the texts an expression stands for, in lower case, or nil where
// they are many.
func exact(re *syntax.Regexp) (texts []string) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture:
		return exact(re.Sub[0])
	case syntax.OpQuest:
		if texts = exact(re.Sub[0]); texts != nil {
			texts = append(texts, "")
		}
		return texts
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > 10 {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				texts = append(texts, strings.ToLower(string(r)))
			}
		}
		slices.Sort(texts)
		return slices.Compact(texts)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			one := exact(sub)
			if one == nil || len(texts)+len(one) > mostTexts {
				return nil
			}
			texts = append(texts, one...)
		}
		return texts
	case syntax.OpConcat:
		texts = []string{""}
		for _, sub := range re.Sub {
			if texts = product(texts, exact(sub)); texts == nil {
				return nil
			}
		}
		return texts
	}
	return nil
}

func product(heads, tails []string) (all []string) {
	if tails == nil || len(heads)*len(tails) > mostTexts {
		return nil
	}
	for _, h := range heads {
		for _, t := range tails {
			all = append(all, h+t)
		}
	}
	return all
}
