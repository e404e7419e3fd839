package life

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/resume"
)

// A RowError means that the run's ledger must not get the row.
type RowError struct{ Err error }

func (e *RowError) Error() string { return e.Err.Error() }
func (e *RowError) Unwrap() error { return e.Err }

// Append adds rows about the run to this node's ledger, together or, of more than
// four, in their order, and folds them into Intent. They get the time, and the
// lease that the run has. It returns their places.
func (r *Run) Append(ctx context.Context, rows ...resume.Row) ([]uint64, error) {
	return r.AppendWith(ctx, nil, rows...)
}

// AppendWith is Append with rows of other ops behind those about the run.
func (r *Run) AppendWith(ctx context.Context, others []journal.Row, rows ...resume.Row) ([]uint64, error) {
	state := r.Intent
	var all []ledger.Row
	var own [][]byte
	for _, row := range rows {
		next, err := state.Next(row)
		if err != nil {
			return nil, &RowError{err}
		}
		line, err := r.line(next)
		if err != nil {
			return nil, err
		}
		all, own = append(all, ledger.JSON(line)), append(own, line)
	}
	rest, err := r.book.lines(others)
	if err != nil {
		return nil, err
	}
	places, err := r.book.append(ctx, append(all, rest...))
	if err != nil {
		return nil, err
	}
	for _, line := range own {
		r.Intent.Read(r.book.Desk.Node, line)
	}
	return places, nil
}

// Record adds rows that are about no run to this node's ledger, as Append does.
func (b *Book) Record(ctx context.Context, rows ...journal.Row) ([]uint64, error) {
	lines, err := b.lines(rows)
	if err != nil {
		return nil, err
	}
	return b.append(ctx, lines)
}

func (b *Book) lines(rows []journal.Row) (lines []ledger.Row, err error) {
	for _, row := range rows {
		row.At = b.at()
		line := row.Encode()
		if err := readable(line); err != nil {
			return nil, err
		}
		lines = append(lines, ledger.JSON(line))
	}
	return lines, nil
}

func (b *Book) append(ctx context.Context, rows []ledger.Row) (places []uint64, err error) {
	done, err := ledger.Record(ctx, b.Desk.Repo, b.Desk.Node, b.Desk.Rules.Policy.Retention, b.at(), rows...)
	if err != nil {
		return nil, storeError(admit.Unwritten(err))
	}
	for seq := done.First; seq > 0 && seq <= done.Last; seq++ {
		places = append(places, seq)
	}
	return places, nil
}

// at is the time that rows bear.
func (b *Book) at() time.Time { return b.Desk.Now().UTC().Truncate(time.Second) }

// line is a row about the run as the ledger holds it.
func (r *Run) line(row resume.Row) ([]byte, error) {
	b, err := encode(row)
	if err != nil {
		return nil, err
	}
	o, err := ledger.ParseObject(b)
	if err != nil {
		return nil, err
	}
	words := map[string]string{"at": r.book.at().Format(time.RFC3339), "node": r.book.Desk.Node}
	keys := []string{"at", "node"}
	if r.Lease != nil && r.Live {
		words["lane"], words["nonce"], words["owner"] = r.Lease.Lane, r.Lease.Nonce, r.Lease.Holder.Owner
		keys = append(keys, "lane", "nonce", "owner")
		o.Set("gen", strconv.AppendUint(nil, r.Lease.Gen, 10))
	} else if r.Lane != "" {
		words["lane"] = r.Lane
		keys = append(keys, "lane")
	}
	for _, key := range keys {
		value, err := encode(words[key])
		if err != nil {
			return nil, err
		}
		o.Set(key, value)
	}
	line, err := o.Encode()
	if err != nil {
		return nil, err
	}
	return line, readable(line)
}

// encode is JSON as rows hold it.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// readable makes sure that every later reader will take the line for a row.
func readable(line []byte) error {
	o, err := ledger.ParseObject(line)
	if err == nil {
		o.Set("seq", []byte("1"))
		line, err = o.Encode()
	}
	if err == nil && len(line) > journal.MaxRow-20 {
		err = fmt.Errorf("it would be a row of %d bytes, more than %d", len(line), journal.MaxRow-20)
	}
	if err == nil {
		_, err = journal.Decode(line)
	}
	if err != nil {
		return &RowError{errors.Join(err)}
	}
	return nil
}
