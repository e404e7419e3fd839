package shipindex

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
)

// A Query says which rows are wanted: those that any of its parts wants.
type Query struct {
	// Any wants the rows whose text holds every string of one of the groups.
	// The strings are folded text; a group without any wants every row.
	Any [][]string

	IDs   []refstore.OID // wants these commits
	Takes bool           // wants the rows that take something back
	All   bool           // wants every row
}

// A matcher is a query made ready for blocks.
type matcher struct {
	any        [][]string      // the longest string of a group first
	ids        map[string]bool // raw
	takes, all bool
}

func newMatcher(q Query, idLen int) *matcher {
	m := &matcher{takes: q.Takes, all: q.All, ids: map[string]bool{}}
	for _, group := range q.Any {
		group = slices.Clone(group)
		slices.SortStableFunc(group, func(a, b string) int { return len(b) - len(a) })
		m.any = append(m.any, group)
		m.all = m.all || len(group) == 0 || group[0] == ""
	}
	for _, id := range q.IDs {
		if raw, err := hex.DecodeString(string(id)); err == nil && len(raw) == idLen {
			m.ids[string(raw)] = true
		}
	}
	return m
}

// wants says what of a block may match, by its head and filter alone.
func (m *matcher) wants(h blockHead, g grams) (w wanted, some bool) {
	w.all = m.all || m.takes && h.takes
	if w.all {
		return w, true
	}
	for _, group := range m.any {
		if !slices.ContainsFunc(group, func(s string) bool { return !g.mayText(s) }) {
			w.any = append(w.any, group)
		}
	}
	for id := range m.ids {
		w.ids = w.ids || g.mayID(id)
	}
	return w, len(w.any) > 0 || w.ids
}

// wanted is what is left to look for in one block.
type wanted struct {
	all bool
	ids bool
	any [][]string
}

// rows decodes the rows of the loaded block that match.
func (m *matcher) rows(r *blockReader, w wanted) ([]Row, error) {
	hits := make([]bool, r.head.rows)
	for i := range hits {
		hits[i] = w.all
	}
	if !w.all {
		if w.ids {
			if err := m.findIDs(r, hits); err != nil {
				return nil, err
			}
		}
		for _, group := range w.any {
			if err := findText(r, group, hits); err != nil {
				return nil, err
			}
		}
	}
	if !slices.Contains(hits, true) {
		return nil, nil
	}
	if err := r.readAll(); err != nil {
		return nil, err
	}
	var rows []Row
	for i, hit := range hits {
		if !hit {
			continue
		}
		row, err := r.row(i)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (m *matcher) findIDs(r *blockReader, hits []bool) error {
	if err := r.readIDs(); err != nil {
		return err
	}
	for i := range hits {
		hits[i] = m.ids[string(r.id(i))]
	}
	return nil
}

// findText looks for the first string of a group in the text of all rows at
// once. What it finds counts if it lies within one row, which then has to hold
// the others too.
func findText(r *blockReader, group []string, hits []bool) error {
	if err := r.readText(); err != nil {
		return err
	}
	pivot, text := []byte(group[0]), r.text.parts
	for at := 0; ; {
		i := bytes.Index(text[at:], pivot)
		if i < 0 {
			return nil
		}
		at += i
		row := r.text.at(at)
		if at+len(pivot) > r.text.ends[row] {
			at++
			continue
		}
		hits[row] = hits[row] || holds(r.text.of(row), group[1:])
		at = r.text.ends[row]
	}
}

func holds(text []byte, all []string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !bytes.Contains(text, []byte(s)) })
}

// Matches reports whether a query wants a row: what a search decides without
// decoding it.
func (q Query) Matches(r Row) bool {
	if q.All || q.Takes && len(r.Takes) > 0 || slices.Contains(q.IDs, r.ID) {
		return true
	}
	if len(q.Any) == 0 {
		return false
	}
	text := r.Text()
	return slices.ContainsFunc(q.Any, func(group []string) bool {
		return !slices.ContainsFunc(group, func(s string) bool { return !strings.Contains(text, s) })
	})
}
