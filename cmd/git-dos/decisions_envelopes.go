package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/decisions"
)

// Bounds of what is read of packets.
const (
	maxEnvelope  = 256 << 10
	maxEnvelopes = 1000
)

// A decisionsEnvelope is what .verdict-*.json beside a packet says of it.
type decisionsEnvelope struct {
	Lane        string    `json:"lane"`
	RunID       string    `json:"run_id"`
	Verdict     string    `json:"verdict"`
	ReasonClass string    `json:"reason_class"`
	Reason      string    `json:"reason"`
	DoNotRender bool      `json:"do_not_render"`
	Blocked     bool      `json:"blocked"`
	AllClear    bool      `json:"all_clear"`
	GeneratedAt time.Time `json:"generated_at"`
}

// decisionsEnvelopes reads the verdicts of packets in the work tree, and names
// those that cannot be read. A repository without a work tree has none.
func decisionsEnvelopes(d *admit.Desk) (all []decisions.Envelope, unread []string) {
	where := d.Rules.Policy.Paths.NextPackets
	if d.Repo.WorkTree == "" || where == "" {
		return nil, nil
	}
	dir := filepath.Join(d.Repo.WorkTree, filepath.FromSlash(where))
	found, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, []string{fmt.Sprintf("%s: %v", where, err)}
	}
	seen := 0
	for _, f := range found {
		name := f.Name()
		if !strings.HasPrefix(name, ".verdict-") || !strings.HasSuffix(name, ".json") {
			continue
		}
		if seen++; seen > maxEnvelopes {
			return all, append(unread, fmt.Sprintf("%s: more than %d verdicts", where, maxEnvelopes))
		}
		e, err := decisionsReadEnvelope(filepath.Join(dir, name))
		if err != nil {
			unread = append(unread, fmt.Sprintf("%s/%s: %v", where, name, err))
			continue
		}
		e.Path = where + "/" + name
		all = append(all, e)
	}
	return all, unread
}

// decisionsReadEnvelope reads one verdict. Its time is what it says, else when
// the file was written.
func decisionsReadEnvelope(path string) (decisions.Envelope, error) {
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return decisions.Envelope{}, err
	case !st.Mode().IsRegular():
		return decisions.Envelope{}, errors.New("not a regular file")
	case st.Size() > maxEnvelope:
		return decisions.Envelope{}, fmt.Errorf("%d bytes, at most %d", st.Size(), maxEnvelope)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return decisions.Envelope{}, err
	}
	var e decisionsEnvelope
	if err := json.Unmarshal(data, &e); err != nil {
		return decisions.Envelope{}, err
	}
	at := e.GeneratedAt
	if at.IsZero() {
		at = st.ModTime()
	}
	return decisions.Envelope{
		Lane: e.Lane, RunID: e.RunID, Verdict: e.Verdict, ReasonClass: e.ReasonClass, Reason: e.Reason,
		DoNotRender: e.DoNotRender, Blocked: e.Blocked, AllClear: e.AllClear, At: at.UTC(),
	}, nil
}
