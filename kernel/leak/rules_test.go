package leak

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

func rules(t testing.TB) *ruleSet {
	t.Helper()
	set, err := allRules()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The expressions are compiled when they are tried, and a broken one would end
// the program: here each is compiled.
func TestEveryRuleCanBeTried(t *testing.T) {
	set := rules(t)
	if len(set.rules) < 230 || !strings.HasPrefix(set.version, "v8.") {
		t.Fatalf("%d rules of %q", len(set.rules), set.version)
	}
	ids := map[string]bool{}
	for _, r := range append(slices.Clone(set.rules), &rule{ID: "all", Words: []string{"x"}, Regex: "x", re: lazily(""), path: lazily(""), Allow: []allow{set.allow}}) {
		if ids[r.ID] {
			t.Errorf("%s stands twice", r.ID)
		}
		ids[r.ID] = true
		if len(r.Words) == 0 || r.Regex == "" || slices.ContainsFunc(r.Words, func(w string) bool { return w == "" || w != strings.ToLower(w) }) {
			t.Errorf("%s: words %q, expression %q", r.ID, r.Words, r.Regex)
		}
		if g := r.re().NumSubexp(); r.Group > g {
			t.Errorf("%s: group %d of %d", r.ID, r.Group, g)
		}
		r.path()
		for _, a := range r.Allow {
			a.paths()
			a.regexes()
			a.stop()
			if a.Condition != "" && a.Condition != "AND" || a.Target != "" && a.Target != "match" && a.Target != "line" {
				t.Errorf("%s: condition %q, target %q", r.ID, a.Condition, a.Target)
			}
		}
	}
}

// A rule is tried near its words and where it is likely to match. Nothing that
// it matches in the whole text may be lost by that: texts made from the
// expressions themselves are found in a place where each rule would find them.
func TestNoMatchIsLostNearTheWords(t *testing.T) {
	s := scanner(t).Prose()
	dice := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for _, r := range s.set.rules {
		if r.but != nil {
			continue
		}
		re, err := syntax.Parse(r.Regex, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 12 {
			text := []byte(sample(dice, re) + "\nmore of it: x\n")
			if n > 0 {
				text = append([]byte("some words, and a line\n"+strings.Repeat("é = ", n-1)), text...)
			}
			if r.Far {
				text = append(text, r.Words[n%len(r.Words)]...)
			}
			var want []string
			for _, at := range r.re().FindAllSubmatchIndex(text, -1) {
				start, end := r.spanOf(at)
				m := match{text: text, from: at[0], to: at[1], start: start, end: end}
				if s.set.counts(r, m) && hasWord(r, text) {
					want = append(want, strings.TrimSpace(string(m.found())))
				}
			}
			windows, err := s.windows("", text)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range want {
				tried++
				if !slices.Contains(found(t, s, windows, r, text), w) {
					t.Errorf("%s: %q is not found in %q", r.ID, w, text)
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("%d matches were made: too few to say anything", tried)
	}
}

func hasWord(r *rule, text []byte) bool {
	low := bytes.ToLower(text)
	return slices.ContainsFunc(r.Words, func(w string) bool { return bytes.Contains(low, []byte(w)) })
}

func found(t *testing.T, s *Scanner, windows []window, r *rule, text []byte) (all []string) {
	t.Helper()
	for _, w := range windows {
		if w.rule != r {
			continue
		}
		matches, err := s.matches(w, "", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range matches {
			all = append(all, strings.TrimSpace(string(m.found())))
		}
	}
	return all
}

// sample makes a text that an expression matches.
func sample(dice *rand.Rand, re *syntax.Regexp) string {
	repeat := func(least, most int) (s string) {
		if most < 0 {
			most = least + 4
		}
		for range least + dice.IntN(most-least+1) {
			s += sample(dice, re.Sub[0])
		}
		return s
	}
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 && dice.IntN(2) == 0 {
			return strings.ToUpper(string(re.Rune))
		}
		return strings.ToLower(string(re.Rune[:0])) + string(re.Rune)
	case syntax.OpCharClass:
		for range 40 {
			i := 2 * dice.IntN(len(re.Rune)/2)
			if c := re.Rune[i] + rune(dice.IntN(int(re.Rune[i+1]-re.Rune[i])+1)); c < 0x7f && c >= ' ' {
				return string(c)
			}
		}
		return string(re.Rune[0])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "z"
	case syntax.OpStar:
		return repeat(0, 4)
	case syntax.OpPlus:
		return repeat(1, 5)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(re.Min, re.Max)
	case syntax.OpAlternate:
		return sample(dice, re.Sub[dice.IntN(len(re.Sub))])
	}
	s := ""
	for _, sub := range re.Sub {
		s += sample(dice, sub)
	}
	return s
}

func TestFinderFindsEveryWord(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var words []string
		for len(words) < 1+dice.IntN(8) {
			if w := letters(dice, 1+dice.IntN(4), "abc-"); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		text := letters(dice, dice.IntN(60), "abcABC-é")
		var got, want []string
		newFinder(words).find([]byte(text), func(ids []uint16, end int) {
			for _, id := range ids {
				got = append(got, fmt.Sprint(words[id], end))
			}
		})
		low := strings.ToLower(text)
		for end := 1; end <= len(low); end++ {
			for _, w := range words {
				if strings.HasSuffix(low[:end], w) {
					want = append(want, fmt.Sprint(w, end))
				}
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %q, want %q", words, text, got, want)
		}
	}
}

func letters(dice *rand.Rand, n int, of string) string {
	runes := []rune(of)
	var b strings.Builder
	for range n {
		b.WriteRune(runes[dice.IntN(len(runes))])
	}
	return b.String()
}
