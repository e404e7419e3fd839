package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Bounds of a row.
const (
	MaxRow   = 64 << 10 // bytes, as it stands in the ledger
	maxWord  = 512      // of an id, a name or a token
	maxText  = 16 << 10 // of what people wrote
	maxItems = 2000     // of a list
	maxSeq   = 1 << 53  // the last number that every reader of JSON agrees on
	minYear  = 1970
	maxYear  = 9000
)

// ErrRow is wrapped by every failure to read a row.
var ErrRow = errors.New("unreadable row")

// ErrNewer is wrapped when a row's version is later than this package knows.
// What it says is not guessed at.
var ErrNewer = errors.New("row of a later version")

var rowKeys = sync.OnceValue(keysOf[Row])

// Decode reads a row. With an error it still returns what it could make out of
// the op, the run and the lane, for the report only. Fields of a later minor
// version are let pass, a known field in another spelling, twice, of another
// type or too long is not.
func Decode(payload []byte) (Row, error) {
	if len(payload) > MaxRow {
		return Row{}, fmt.Errorf("%w: %d bytes, at most %d", ErrRow, len(payload), MaxRow)
	}
	about, err := look(payload, rowKeys())
	switch {
	case about.V > Version:
		return about, newer(about.V)
	case err != nil:
		return about, fmt.Errorf("%w: %w", ErrRow, err)
	}
	var body bytes.Buffer
	if err := json.Compact(&body, payload); err != nil {
		return about, fmt.Errorf("%w: %w", ErrRow, err)
	}
	r, err := reread(body.Bytes())
	if err != nil {
		return about, fmt.Errorf("%w: %w", ErrRow, err)
	}
	return r, nil
}

// reread reads a row that was looked at when it was first read. It keeps body.
func reread(body []byte) (Row, error) {
	var r Row
	if err := json.Unmarshal(body, &r); err != nil {
		return Row{}, err
	}
	if err := r.check(); err != nil {
		return Row{}, err
	}
	r.At = r.At.UTC()
	r.body = body
	return r, nil
}

func newer(v int) error {
	return fmt.Errorf("%w: %d, this git-dos knows %d", ErrNewer, v, Version)
}

// look makes out the version of an object, and what it is about, before
// anything else of it is believed: a later version may have changed all that.
func look(payload []byte, keys map[string]bool) (about Row, err error) {
	word := func(value []byte) (s string) {
		if len(value) > maxWord || json.Unmarshal(value, &s) != nil {
			return ""
		}
		return s
	}
	err = scanObject(payload, keys, func(key string, value []byte) {
		switch key {
		case "v":
			about.V, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		case "op":
			about.Op = word(value)
		case "run_id":
			about.RunID = word(value)
		case "lane":
			about.Lane = word(value)
		}
	})
	return about, err
}

func (r Row) check() error {
	switch {
	case r.V < 0:
		return fmt.Errorf("v: %d", r.V)
	case r.Op == "":
		return errors.New("op: none")
	case r.Seq == 0 || r.Seq > maxSeq:
		return fmt.Errorf("seq: %d is not between 1 and %d", r.Seq, uint64(maxSeq))
	case r.At.Year() < minYear || r.At.Year() > maxYear:
		return fmt.Errorf("at: year %d", r.At.Year())
	case r.Gen > maxSeq:
		return fmt.Errorf("gen: %d", r.Gen)
	case r.PID < 0:
		return fmt.Errorf("pid: %d", r.PID)
	case r.Until != nil && (r.Until.Year() < minYear || r.Until.Year() > maxYear):
		return fmt.Errorf("until: year %d", r.Until.Year())
	}
	return errors.Join(r.checkNeeds(), r.checkSizes())
}

// A field is a text of a row, by its key.
type field struct{ key, value string }

// checkNeeds reports a field that is missing and without which a row of its op
// says nothing.
func (r *Row) checkNeeds() error {
	var needs [2]field
	switch r.Op {
	case OpIntent, OpSuspend, OpResumeProposed:
		needs[0] = field{"run_id", r.RunID}
	case OpStepClaimed, OpStepVerified:
		needs = [2]field{{"run_id", r.RunID}, {"step_id", r.StepID}}
	case OpAttempt:
		needs[0] = field{"unit", r.Unit}
	case OpAck:
		needs[0] = field{"id", r.ID}
	case OpCap:
		needs[0] = field{"account", r.Account}
	case OpSpawn:
		needs[0] = field{"lane", r.Lane}
	case OpDecision:
		needs[0] = field{"kind", r.Kind}
	case OpEnforce:
		needs = [2]field{{"owner", r.Owner}, {"target", r.Target}}
	}
	for _, f := range needs {
		if f.key != "" && strings.TrimSpace(f.value) == "" {
			return fmt.Errorf("%s: a row of op %s needs it", f.key, r.Op)
		}
	}
	return nil
}

func (r Row) checkSizes() error {
	for _, f := range [...]field{
		{"op", r.Op}, {"lane", r.Lane}, {"owner", r.Owner}, {"run_id", r.RunID}, {"operator", r.Operator},
		{"reason_class", r.ReasonClass}, {"nonce", r.Nonce}, {"node", r.Node}, {"unit", r.Unit}, {"seat", r.Seat},
		{"account", r.Account}, {"plan", r.Plan}, {"phase", r.Phase}, {"key", r.Key}, {"wave_id", r.WaveID}, {"start", r.Start},
		{"boot_id", r.BootID}, {"outcome", r.Outcome}, {"start_sha", r.StartSha}, {"step_id", r.StepID}, {"sha", r.Sha},
		{"via", r.Via}, {"predecessor_run_id", r.Predecessor}, {"resume_sha", r.ResumeSha}, {"kind", r.Kind},
		{"handle", r.Handle}, {"edge", r.Edge}, {"verb", r.Verb}, {"verdict", r.Verdict}, {"source", r.Source}, {"id", r.ID},
	} {
		if len(f.value) > maxWord {
			return fmt.Errorf("%s: %d bytes, at most %d", f.key, len(f.value), maxWord)
		}
	}
	for _, f := range [...]field{
		{"reason", r.Reason}, {"goal", r.Goal}, {"detail", r.Detail}, {"command", r.Command}, {"log", r.Log}, {"target", r.Target},
		{"ref", r.Ref}, {"subject", r.Subject},
	} {
		if len(f.value) > maxText {
			return fmt.Errorf("%s: %d bytes, at most %d", f.key, len(f.value), maxText)
		}
	}
	return r.checkLists()
}

func (r Row) checkLists() error {
	for _, list := range [...]struct {
		key string
		n   int
	}{
		{"scavenged", len(r.Scavenged)}, {"blocking", len(r.Blocking)}, {"declared_steps", len(r.DeclaredSteps)},
		{"step_regions", len(r.StepRegions)}, {"residual", len(r.Residual)}, {"seen", len(r.Seen)},
	} {
		if list.n > maxItems {
			return fmt.Errorf("%s: %d entries, at most %d", list.key, list.n, maxItems)
		}
	}
	for source := range r.Seen {
		if len(source) > maxWord {
			return fmt.Errorf("seen: the name of a source of %d bytes, at most %d", len(source), maxWord)
		}
	}
	return nil
}
