package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/git-dos/git-dos/kernel/leak"
)

// A LeakScanner finds what lines of a file give away; see leak.Scanner.
type LeakScanner interface {
	ScanAt(path string, line int, text []byte) ([]leak.Hit, error)
}

// LeakGates are SECRET_SHAPE and PUBLIC_LEAK over the lines that commits add and
// the messages they have, of one history. Both go by one scan, which whoever of
// them is asked first makes; they may be asked at once. Neither repeats what it
// found.
func LeakGates(s LeakScanner) (secret, public Gate) {
	l := &leaks{scanner: s}
	return l.gate(SecretShape), l.gate(PublicLeak)
}

var errUnscanned = errors.New("what is added was not scanned to its end")

type leaks struct {
	scanner LeakScanner
	scanned sync.Once
	found   map[Token][]Finding
	err     error
}

func (l *leaks) gate(token Token) Gate {
	return Gate{token, func(ctx context.Context, _ Push, h History) ([]Finding, error) {
		l.scanned.Do(func() {
			l.found, l.err = map[Token][]Finding{}, errUnscanned // which stands if the scan crashes
			l.err = l.scan(ctx, h)
		})
		return l.found[token], l.err
	}}
}

// maxBlock is how much text is scanned at once: added lines that follow one
// another, so that a key of several lines is seen whole.
const maxBlock = 256 << 10

// scan reads the lines block by block.
func (l *leaks) scan(ctx context.Context, h History) error {
	var b block
	for line, err := range h.Added(ctx) {
		if err != nil {
			return err
		}
		if !b.continues(line) {
			if err := l.block(&b); err != nil {
				return err
			}
			b.begin(line)
		}
		b.add(line)
	}
	return l.block(&b)
}

// A block is consecutive lines of one file in one commit.
type block struct {
	first Line
	last  int
	text  bytes.Buffer
}

func (b *block) continues(l Line) bool {
	return b.text.Len() > 0 && b.text.Len() < maxBlock && l.Commit == b.first.Commit && l.Path == b.first.Path && l.Number == b.last+1
}

func (b *block) begin(l Line) {
	b.first, b.last = l, l.Number
	b.text.Reset()
}

func (b *block) add(l Line) {
	b.last = l.Number
	b.text.Write(l.Text)
	b.text.WriteByte('\n')
}

func (l *leaks) block(b *block) error {
	if b.text.Len() == 0 {
		return nil
	}
	hits, err := l.scanner.ScanAt(b.first.Path, b.first.Number, b.text.Bytes())
	if err != nil {
		return fmt.Errorf("%s of %s: %w", whereText(b.first), what(b.first.Commit), err)
	}
	for _, hit := range hits {
		f := Finding{Commit: b.first.Commit, Path: b.first.Path, Line: hit.Line, Reason: fmt.Sprintf("%s %s", hit.Rule, hit.Masked), Fix: fixOf(hit)}
		l.found[Token(hit.Token)] = append(l.found[Token(hit.Token)], f)
	}
	return nil
}

func whereText(l Line) string {
	if l.Path == "" {
		return "the message"
	}
	return fmt.Sprintf("%q", l.Path)
}

func what(commit string) string {
	if commit == "" {
		return "the commit that is made"
	}
	return commit
}

func fixOf(h leak.Hit) string {
	if h.Token == leak.SecretShape {
		return "take it out of the commit and replace it where it is in force; if it is harmless, list " + h.Fingerprint + " in gates.secret_shape.allow on the trunk"
	}
	return "word it without, or list " + h.Fingerprint + " in gates.secret_shape.allow on the trunk"
}
