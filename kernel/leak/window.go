package leak

import (
	"bytes"
	"strings"
)

// A window is the part of a text on which a rule is tried.
type window struct {
	rule     *rule
	from, to int
	whole    bool // nothing beyond to, up to the end of the line, is left to try
}

// workFree and half the text bound how many bytes all windows of a text may
// have together. Source code has a tenth of that; only a text that was made for
// it has more.
const workFree = 8 << 20

// windows lists where which rule is to be tried: around the words it names. A
// rule whose matches need not have the word is tried on everything, and one
// whose matches stay in a line only on the lines.
func (s *Scanner) windows(path string, text []byte) (all []window, err error) {
	var last []int // by rule: one more than its last window
	work, most := 0, len(text)/2+workFree
	s.set.words.find(text, func(words []uint16, end int) {
		if last == nil {
			last = make([]int, len(s.set.rules))
		}
		for _, w := range words {
			for _, r := range s.set.byWord[w] {
				if work > most || r.prose && !s.prose || r.Path != "" && path != "" && !r.path().MatchString(path) {
					continue
				}
				n := last[r.order]
				if n > 0 && all[n-1].whole && end <= all[n-1].to {
					continue
				}
				if !r.likely(text, end) {
					continue
				}
				next := r.around(text, end)
				if n > 0 && next.from <= all[n-1].to {
					work += next.to - all[n-1].to
					all[n-1].to, all[n-1].whole = next.to, next.whole
					continue
				}
				work += next.to - next.from
				all = append(all, next)
				last[r.order] = len(all)
			}
		}
	})
	if work > most {
		return nil, ErrCostly
	}
	return all, nil
}

// around is what a rule is tried on for a word that ends before a byte.
func (r *rule) around(text []byte, end int) window {
	switch {
	case r.Far:
		return window{r, 0, len(text), true}
	case r.Lines:
		return window{r, max(0, end-r.Reach), min(len(text), end+r.Reach), false}
	}
	from, to := lineAround(text, end, end, r.Reach)
	return window{r, from, to, to == len(text) || text[to] == '\n'}
}

// likely reports whether a match may have the word that ends before a byte: the
// word stands in enough bytes of the kind that matches consist of, and what is
// assigned follows where the rule is about that. It saves trying expressions,
// and is true of every match.
func (r *rule) likely(text []byte, end int) bool {
	switch {
	case r.Far:
		return true
	case r.Assign && !assigns(text[end:min(len(text), end+assignReach)]):
		return false
	case r.ID == genericRule && !telling(text[end:min(len(text), end+mostReach)]):
		return false
	}
	n := 1
	for i := end; i < len(text) && n < r.Least && r.bytes[text[i]]; i++ {
		n++
	}
	for i := end - 2; i >= 0 && n < r.Least && r.bytes[text[i]]; i-- {
		n++
	}
	return n >= r.Least
}

// assignReach is more than what gitleaks lets stand between a name and its
// value.
const (
	assignReach = 96
	operators   = "=>:|?,"
)

// assigns reports whether a text goes on with an assignment, after what else a
// name may have.
func assigns(text []byte) bool {
	i := skip(text, func(c byte) bool { return wordByte(c) || c == '.' || c == '-' || c == ' ' || c == '\t' })
	i += skip(text[i:], func(c byte) bool { return blank(c) || c == '\'' || c == '"' })
	return i < len(text) && strings.IndexByte(operators, text[i]) >= 0
}

// telling reports whether a value follows that gitleaks' generic rule could
// take for a secret: its entropy asks for twelve bytes, and a list of its own
// for one that is no letter.
func telling(text []byte) bool {
	i := bytes.IndexAny(text[:min(len(text), assignReach)], operators)
	if i < 0 {
		return false
	}
	value := i + skip(text[i:], func(c byte) bool { return blank(c) || strings.IndexByte(operators+"`'\"", c) >= 0 })
	equals := bytes.Count(text[i:value], []byte("=")) // which may be the beginning of the value
	text = text[value:]
	text = text[:skip(text, func(c byte) bool { return wordByte(c) || strings.IndexByte(".=-+/", c) >= 0 })]
	return equals > 5 || len(text)+equals >= 12 && bytes.ContainsAny(text, "0123456789+/=")
}

func skip(text []byte, over func(byte) bool) int {
	i := 0
	for i < len(text) && over(text[i]) {
		i++
	}
	return i
}

func wordByte(c byte) bool { return c == '_' || alphanumeric(c) }

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
