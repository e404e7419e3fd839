package leak

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// MaxText bounds the text of one scan.
const MaxText = 64 << 20

// maxHits bounds the answer of one scan: where so much is given away, the text
// is to be looked at as a whole.
const maxHits = 1000

// mostMatches bounds what one rule matches in one window, hits or not.
const mostMatches = 100_000

// Why a text is not judged. Neither is an answer that it is clean.
var (
	ErrTooLong = fmt.Errorf("the text is longer than %d MiB", MaxText>>20)
	ErrTooMany = fmt.Errorf("the text has more than %d places that give something away", maxHits)
	ErrCostly  = errors.New("the text is made of words that keys and tokens are told by, and would take too long to judge")
)

// A Scanner scans texts, several at once if need be.
type Scanner struct {
	set    *ruleSet
	prose  bool
	prints map[string]bool
	globs  lane.Scope
}

// NewScanner makes a scanner that lets through what its allow list names, each
// entry a fingerprint or a glob of paths, read as a lane's tree is.
func NewScanner(allow []string) (*Scanner, error) {
	set, err := allRules()
	if err != nil {
		return nil, fmt.Errorf("the rules of this program: %w", err)
	}
	s := &Scanner{set: set, prints: map[string]bool{}}
	var globs []string
	for _, a := range allow {
		if isFingerprint(a) {
			s.prints[a] = true
			continue
		}
		if a == "" {
			return nil, errors.New("allow: an entry is empty")
		}
		globs = append(globs, a)
	}
	clean, err := lane.CleanTree(globs)
	if err != nil {
		return nil, fmt.Errorf("allow: %w", err)
	}
	s.globs = lane.NewScope(clean)
	return s, nil
}

// Prose returns a scanner that also takes looser shapes for leaks, and paths
// that are absolute. Code is full of them; a text that is sent elsewhere should
// have none.
func (s *Scanner) Prose() *Scanner {
	t := *s
	t.prose = true
	return &t
}

// AllowsPath reports whether the allow list lets all of a file through.
func (s *Scanner) AllowsPath(path string) bool { return s.globs.Contains(path) }

// Scan finds what a text gives away, in its order. An error means that the
// text was not judged.
func (s *Scanner) Scan(text []byte) ([]Hit, error) { return s.ScanAt("", 1, text) }

// ScanAt is Scan of consecutive lines of a file. The first of them has the
// number line. The path, as git stores it, is held against the allow list, and
// against the files that the rules themselves leave out, such as lock files.
func (s *Scanner) ScanAt(path string, line int, text []byte) ([]Hit, error) {
	if path != "" && s.AllowsPath(path) {
		return nil, nil
	}
	hits, _, err := s.scan(path, line, text)
	return hits, err
}

// scan also counts what fingerprints let through.
func (s *Scanner) scan(path string, line int, text []byte) (hits []Hit, allowed int, err error) {
	if len(text) > MaxText {
		return nil, 0, ErrTooLong
	}
	windows, err := s.windows(path, text)
	if err != nil {
		return nil, 0, err
	}
	for _, w := range windows {
		matches, err := s.matches(w, path, text)
		if err != nil {
			return nil, 0, err
		}
		for _, m := range matches {
			found := string(m.found())
			h := Hit{Rule: w.rule.ID, Kind: w.rule.kind, Token: w.rule.kind.Token(), Masked: mask(found),
				Fingerprint: Fingerprint(w.rule.ID, found), Start: m.start, End: m.end}
			if s.prints[h.Fingerprint] {
				allowed++
				continue
			}
			if hits = append(hits, h); len(hits) > maxHits {
				return nil, 0, ErrTooMany
			}
		}
	}
	hits = s.single(hits)
	place(hits, line, text)
	return hits, allowed, nil
}

// matches tries a rule on a window.
func (s *Scanner) matches(w window, path string, text []byte) (all []match, err error) {
	spans := w.rule.all(text[w.from:w.to])
	if len(spans) == mostMatches {
		return nil, ErrCostly
	}
	for _, at := range spans {
		start, end := w.rule.spanOf(at)
		m := match{text: text, path: path, from: w.from + at[0], to: w.from + at[1], start: w.from + start, end: w.from + end}
		if s.set.counts(w.rule, m) {
			all = append(all, m)
		}
	}
	return all, nil
}

// single puts hits in the order of the text, and of those of one kind that
// share bytes keeps the one of the more telling rule.
func (s *Scanner) single(hits []Hit) (kept []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(s.set.rank[a.Rule]-s.set.rank[b.Rule], a.Start-b.Start) })
	byKind := map[Kind]*spans{}
	for _, h := range hits {
		if byKind[h.Kind] == nil {
			byKind[h.Kind] = &spans{}
		}
		if byKind[h.Kind].add(h.Start, h.End) {
			kept = append(kept, h)
		}
	}
	slices.SortFunc(kept, func(a, b Hit) int { return cmp.Or(a.Start-b.Start, a.End-b.End, cmp.Compare(a.Rule, b.Rule)) })
	return kept
}

// spans are parts of a text that share no byte, in order.
type spans struct{ starts, ends []int }

// add reports whether the part shares nothing with those before, and adds it.
func (p *spans) add(start, end int) bool {
	i, _ := slices.BinarySearch(p.starts, end)
	if i > 0 && p.ends[i-1] > start {
		return false
	}
	p.starts, p.ends = slices.Insert(p.starts, i, start), slices.Insert(p.ends, i, end)
	return true
}

// place counts lines and columns, in one pass.
func place(hits []Hit, line int, text []byte) {
	at := 0
	for i := range hits {
		line += bytes.Count(text[at:hits[i].Start], []byte("\n"))
		at = hits[i].Start
		hits[i].Line, hits[i].Column = line, at-bytes.LastIndexByte(text[:at], '\n')
	}
}
