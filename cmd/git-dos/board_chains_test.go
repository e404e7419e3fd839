package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/board"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// boardNoon is the time of the newest entries.
var boardNoon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// boardHistory writes chains of so many entries, one every so often up to an end: a lane
// is taken, and given back, and taken by another. The order has the newest of all of
// them, so that the chains are what a fleet would have written.
func boardHistory(t *testing.T, dir string, chains map[string]int, every time.Duration, end time.Time) {
	t.Helper()
	cmd := exec.Command("git", "-C", dir, "fast-import", "--quiet", "--force")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(in, 1<<20)
	for name, entries := range chains {
		for i := range entries {
			boardEntry(w, name, i, end.Add(-time.Duration(entries-1-i)*every))
		}
	}
	boardOrder(w, chains, end)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// boardRules are the rules for so many lanes, and their names.
func boardRules(lanes int) (names []string, rules string) {
	var list []string
	trees := ""
	for i := range lanes {
		name := fmt.Sprintf("lane-%03d", i)
		names, list = append(names, name), append(list, strconv.Quote(name))
		trees += fmt.Sprintf("%s = [\"%s/**\"]\n", name, name)
	}
	return names, fmt.Sprintf("[lanes]\nconcurrent = [%s]\n[lanes.trees]\n%s", strings.Join(list, ", "), trees)
}

// boardEntry writes one entry as the store and kernel/lease write it.
func boardEntry(w io.Writer, name string, i int, at time.Time) {
	r := lease.Record{
		V: lease.Version, Lane: name, LaneKind: lane.Cluster, Tree: []string{name + "/**"}, Scope: lease.Local, State: lane.Held, Gen: boardGen(i),
		Nonce: fmt.Sprintf("%016x", i/2), Holder: lease.Holder{Node: "north", Owner: fmt.Sprintf("worker-%d", i/2%40)}, RunID: fmt.Sprintf("RID-1KDZ33WA%08d", i/2),
		Unit: fmt.Sprintf("PLAN/P%d", i/2%30), TTL: 900, AcquiredAt: at, RenewedAt: at,
	}
	op := lease.OpAcquire
	if i%2 == 1 {
		op, r.State = lease.OpRelease, lane.Free
	}
	boardCommit(w, "lane", name, op, r.Gen, at, r)
}

// boardGen is the generation of an entry.
func boardGen(i int) uint64 { return uint64(i/2 + 1) }

// boardOrder writes the order of the admissions that ended chains of so many entries.
func boardOrder(w io.Writer, chains map[string]int, at time.Time) {
	o := lease.Order{V: lease.Version, Seq: 1, Lanes: map[string]lease.Grant{}}
	for name, entries := range chains {
		o.Lanes[name] = lease.Grant{Gen: boardGen(entries - 1), Nonce: fmt.Sprintf("%016x", (entries-1)/2)}
	}
	boardCommit(w, "order", "grants", lease.OpGranted, o.Seq, at, o)
}

func boardCommit(w io.Writer, kind, leaf, op string, gen uint64, at time.Time, record any) {
	payload, _ := json.Marshal(record)
	message := fmt.Sprintf("dos %s: %s %s g%d\n\n%s\n\nDos-Format: 1\nDos-Op: %s\nDos-Gen: %d\nDos-Attempt: %016x\n", kind, op, leaf, gen, payload, op, gen, at.UnixNano())
	fmt.Fprintf(w, "commit %s\ncommitter w <w@example.com> %d +0000\ndata %d\n%s\n", refstore.Ref(kind, leaf), at.Unix(), len(message), message)
}

// Of chains that are too long for all to be read each has its part, and what others
// leave. What was not read is no time in which a lane was free.
func TestABoardReadsABoundedPartOfChains(t *testing.T) {
	dir := t.TempDir()
	gitIn(t, dir, nil, "init", "-q")
	boardHistory(t, dir, map[string]int{"api": 40, "docs": 40, "web": 4}, time.Minute, boardNoon)
	repo, err := refstore.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := repo.Local().Read(t.Context(), refstore.Query{Kinds: []string{"lane"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ most, cut, api, web int }{
		{60, 2, 28, 4},   // 20 each, and 16 that web leaves for two
		{1000, 0, 40, 4}, // all
		{84, 0, 40, 4},   // just all
		{3, 3, 1, 1},
		{0, 3, 0, 0},
	} {
		b := boardBook{most: c.most, spans: map[string][]board.Span{}, ships: map[string]bool{}, data: board.Data{At: boardNoon, Since: boardNoon.Add(-24 * time.Hour)}}
		var all []*boardChain
		for _, tip := range seen.List("lane") {
			all = append(all, boardChainOf(tip))
		}
		if err := b.readChains(t.Context(), repo, all); err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, ch := range all {
			n[ch.name] = len(ch.steps)
		}
		b.addChains(all)
		if b.data.CutLanes != c.cut || n["api"] != c.api || n["docs"] != c.api || n["web"] != c.web {
			t.Errorf("of %d entries: %v, %d lanes are cut", c.most, n, b.data.CutLanes)
		}
		if len(b.data.Unread) > 0 {
			t.Errorf("of %d entries: not read %q", c.most, b.data.Unread)
		}
		spans := b.spans["api"]
		if cut := len(spans) > 0 && spans[0].State == board.Unreadable; cut != (c.api < 40) {
			t.Errorf("of %d entries: it begins with %+v", c.most, spans)
		} else if oldest := boardNoon.Add(-time.Duration(max(c.api-1, 0)) * time.Minute); cut && (!spans[0].From.Equal(b.data.Since) || !spans[0].To.Equal(oldest)) {
			t.Errorf("of %d entries nothing is known from %v to %v, want to %v", c.most, spans[0].From, spans[0].To, oldest)
		}
	}
}
