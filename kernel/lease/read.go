package lease

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Bounds of what a ref may hold and a request may ask for.
const (
	maxRecord = 1 << 20
	maxGen    = 1 << 53 // the last number that every reader of JSON agrees on
	maxTTL    = 100 * 365 * 24 * 3600
	minYear   = 1970
	maxYear   = 9000
	maxWord   = 256
	maxText   = 1024
)

// CheckWord reports why a name or an id cannot stand in a record, where it
// must read back as the same bytes and be fit to be shown.
func CheckWord(what, s string) error { return checkText(what, s, maxWord) }

func checkText(what, s string, most int) error {
	switch {
	case len(s) > most:
		return fmt.Errorf("%s is %d bytes long, at most %d", what, len(s), most)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("%s %q holds a control character or is not UTF-8", what, s)
	}
	return nil
}

// ParseRecord reads the record on a chain. It checks that the record is about
// that chain and that generation: one planted from elsewhere is refused, and so
// is one that this package would not have written. Keys of a later minor version
// are ignored.
func ParseRecord(chain string, gen uint64, payload []byte) (Record, error) {
	r, err := decodeAs(payload, readRecord)
	if err == nil {
		err = r.check(chain, gen)
	}
	if err != nil {
		return Record{}, fmt.Errorf("lane %s: %w", chain, err)
	}
	r.AcquiredAt, r.RenewedAt = r.AcquiredAt.UTC(), r.RenewedAt.UTC()
	return r, nil
}

func (r Record) check(chain string, gen uint64) error {
	switch {
	case r.V != Version:
		return fmt.Errorf("%w: version %d, this git-dos knows %d", ErrRecord, r.V, Version)
	case r.Chain() != chain:
		return fmt.Errorf("%w: it is about lane %q", ErrRecord, r.Chain())
	case r.Slot != "" && !lane.IsSlot(r.Slot):
		return fmt.Errorf("%w: %q is no slot", ErrRecord, r.Slot)
	case !canonical(r.Lane):
		return fmt.Errorf("%w: %q is no lane", ErrRecord, r.Lane)
	case r.Gen != gen || gen == 0 || gen > maxGen:
		return fmt.Errorf("%w: generation %d in an entry of generation %d", ErrRecord, r.Gen, gen)
	case r.State != lane.Free && (r.Nonce == "" || r.TTL <= 0 || r.RenewedAt.IsZero()):
		return fmt.Errorf("%w: held without a nonce, a ttl or the time of a renewal", ErrRecord)
	case r.Rung != "" && !lane.Reserved(r.Lane):
		return fmt.Errorf("%w: a rung on lane %q, which is not reserved", ErrRecord, r.Lane)
	case r.TTL < 0 || r.TTL > maxTTL || !inRange(r.RenewedAt) || !inRange(r.AcquiredAt):
		return fmt.Errorf("%w: a ttl or a time out of range", ErrRecord)
	}
	if err := checkTree(r.Tree); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if err := errors.Join(r.checkWords(), r.checkMount()); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return nil
}

func canonical(name string) bool {
	folded, err := lane.Canonical(name)
	return err == nil && folded == name
}

// inRange accepts no time at all, which is what a lane that was never held has.
func inRange(t time.Time) bool { return t.IsZero() || t.Year() >= minYear && t.Year() <= maxYear }

// checkTree reports why a tree is none that a lease stores. One without entries
// is: it holds everything, and only a reserved lane holds nothing.
func checkTree(tree []string) error {
	clean, err := lane.CleanTree(tree)
	if err != nil {
		return err
	}
	if !slices.Equal(clean, tree) {
		return fmt.Errorf("a tree that is not in the form it is stored in")
	}
	return nil
}

func (r Record) checkWords() error {
	words := []struct{ what, value string }{
		{"kind", r.LaneKind}, {"scope", r.Scope}, {"state", string(r.State)}, {"nonce", r.Nonce},
		{"owner", r.Holder.Owner}, {"worker", r.Holder.Worker}, {"node", r.Holder.Node}, {"run id", r.RunID},
		{"unit", r.Unit}, {"seat", r.Seat}, {"policy", r.Policy}, {"operator", r.Operator}, {"delegation", r.Under},
		{"rung", r.Rung},
	}
	if len(r.Pushing) > maxPushing {
		return fmt.Errorf("%d pushes are on their way", len(r.Pushing))
	}
	for _, p := range r.Pushing {
		words = append(words, struct{ what, value string }{"nonce of a push", p})
	}
	if p := r.Proc; p != nil {
		if p.PID <= 0 {
			return fmt.Errorf("process %d", p.PID)
		}
		words = append(words, []struct{ what, value string }{{"start of a process", p.Start}, {"boot id", p.Boot}, {"pid namespace", p.PIDNS}}...)
	}
	for _, w := range words {
		if err := CheckWord(w.what, w.value); err != nil {
			return err
		}
	}
	if err := checkText("reason", r.Reason, maxText); err != nil {
		return err
	}
	if r.Ship != nil {
		return r.Ship.checkWords()
	}
	return nil
}

func (s Ship) checkWords() error {
	texts := []string{s.Ref, s.Old, s.New}
	if u := s.Under; u != nil {
		texts = append(texts, u.Nonce, u.Holder.Node, u.Holder.Owner, u.Holder.Worker)
	}
	for _, u := range s.Units {
		texts = append(texts, u.Plan, u.Phase, u.Commit, u.Tree)
	}
	for _, text := range texts {
		if err := checkText("what was shipped", text, maxText); err != nil {
			return err
		}
	}
	return nil
}

// decodeAs is decode of what is mostly in the form that quick reads.
func decodeAs[T any](payload []byte, quick func([]byte) (T, bool)) (T, error) {
	if len(payload) <= maxRecord {
		if v, ok := quick(payload); ok {
			return v, nil
		}
	}
	var v T
	err := decode(payload, &v)
	return v, err
}

func decode(payload []byte, into any) error {
	if len(payload) > maxRecord {
		return fmt.Errorf("%w: %d bytes", ErrRecord, len(payload))
	}
	if !utf8.Valid(payload) {
		return fmt.Errorf("%w: it is not UTF-8", ErrRecord)
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return nil
}
