package decisions

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Label tells a command of git-dos, which is what to do next, from one that a row
// proposes.
func (e Entry) Label() string {
	if e.Recorded {
		return "proposed"
	}
	return "next"
}

// AckCommand takes the entry of an id off the list.
func AckCommand(id string) string { return "git dos decisions ack " + id }

// String is the list for people, one entry a line with what to do under it.
func (v Verdict) String() string {
	if !v.decided {
		return "no verdict"
	}
	var b strings.Builder
	for i, e := range v.Entries {
		fmt.Fprintf(&b, "%d  %s\n", i+1, e)
		if e.Command != "" {
			fmt.Fprintf(&b, "     %s: %s\n", e.Label(), verdict.Show(e.Command))
		}
	}
	if len(v.Entries) == 0 && len(v.Unread) == 0 {
		b.WriteString("nothing to decide\n")
	}
	for _, u := range v.Unread {
		fmt.Fprintf(&b, "not read: %s\n", verdict.Show(u))
	}
	if slices.ContainsFunc(v.Entries, func(e Entry) bool { return !e.Acked && !e.Resolved }) {
		fmt.Fprintf(&b, "%s takes an entry off the list\n", AckCommand("ID"))
	}
	if v.Hidden > 0 {
		fmt.Fprintf(&b, "%d more with --all\n", v.Hidden)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// String is one line about an entry.
func (e Entry) String() string {
	words := []string{e.ID, string(e.Kind)}
	for _, w := range []string{e.Lane, e.RunID, e.Token} {
		if w != "" {
			words = append(words, verdict.Show(w))
		}
	}
	if e.Text != "" {
		words = append(words, verdict.Show(e.Text))
	}
	if e.Handle != "" && !strings.Contains(e.Text, e.Handle) {
		words = append(words, "handle "+verdict.Show(e.Handle))
	}
	switch {
	case e.Skewed:
		words = append(words, "(stamped in the future)")
	case e.Age != nil:
		words = append(words, fmt.Sprintf("(%s ago)", time.Duration(*e.Age)*time.Second))
	}
	if e.Count > 1 {
		words = append(words, fmt.Sprintf("x%d", e.Count))
	}
	if e.Resolved {
		words = append(words, "resolved")
	}
	if e.Acked {
		words = append(words, "acknowledged")
	}
	return strings.Join(words, "  ")
}

// ErrUnknown means that the list has no entry of an id or a number.
var ErrUnknown = errors.New("no such decision")

// ErrNothing means that the list is empty, so that no number is on it.
var ErrNothing = errors.New("nothing to decide")

// Show is the entry at a place of the list, from 1.
func (v Verdict) Show(n int) (Entry, error) {
	switch {
	case len(v.Entries) == 0 && v.ExitCode() == verdict.Yes:
		return Entry{}, ErrNothing
	case n < 1 || n > len(v.Entries):
		return Entry{}, fmt.Errorf("%w: number %d of %d", ErrUnknown, n, len(v.Entries))
	}
	return v.Entries[n-1], nil
}

// Ack is what an ACK of an entry must carry: the newest evidence that its
// author can have seen, by source. It holds until there is newer.
func (v Verdict) Ack(id string) (seen map[string]uint64, err error) {
	for _, e := range v.Entries {
		if e.ID == id {
			return maps.Clone(e.Seen), nil
		}
	}
	return nil, fmt.Errorf("%w: id %s is not on the list", ErrUnknown, verdict.Show(id))
}
