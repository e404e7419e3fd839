package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Lanes that are declared, and lanes in slots, hold one hostile record each.
// Each of them is 4 to everyone who asks for it; nothing is written over it; and
// all other lanes live on.
func TestHostileRecordsCostTheirOwnLaneOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		where        string
		fleet, slots bool
	}{
		{"lanes here", false, false},
		{"slots here", false, true},
		{"lanes in a fleet", true, false},
		{"slots in a fleet", true, true},
	} {
		t.Run(c.where, func(t *testing.T) {
			t.Parallel()
			records := slices.Clone(hostileRecords)
			switch {
			case !c.fleet:
				records = append(records, hostileHere...)
			case os.Getenv("GITDOS_LONG") == "": // a remote is slow: one record in three
				records = slices.DeleteFunc(records, func(r hostileRecord) bool { return slices.Index(hostileNames(hostileRecords), r.name)%3 != 0 })
			}
			hostileEverywhere(t, c.fleet, c.slots, records)
		})
	}
}

func hostileEverywhere(t *testing.T, fleet, slots bool, records []hostileRecord) {
	var declared []hostileRecord
	if !slots {
		declared = records
	}
	h := newHostile(t, fleet, declared)
	h.lease("good")
	refs, planted := map[string]string{}, map[string]string{}
	for _, r := range records {
		var args []string
		if slots {
			args = []string{"--tree", r.name + "/**"}
		}
		refs[r.name] = h.lease(r.name, args...)
	}
	for _, r := range records {
		planted[refs[r.name]] = h.plant(refs[r.name], r)
	}
	if fleet {
		h.elsewhere()
	}
	h.othersLive()
	for _, r := range records {
		h.isUnreadable(r.name, slots, fleet)
	}
	h.lists(records)
	for ref, held := range planted {
		if now := h.holds(ref); now != held {
			t.Errorf("%s held %q and now holds %q", ref, held, now)
		}
	}
}

// isUnreadable asks for a lane that holds a hostile record in every way.
func (h *hostileAuthority) isUnreadable(name string, slot, fleet bool) {
	h.t.Helper()
	acquire := []string{"lease", "acquire", "--lane", name, "--owner", "other"}
	if slot {
		acquire = append(acquire, "--tree", name+"/**")
	}
	h.wants(4, acquire...)
	h.wants(4, "lease", "heartbeat", "--lane", name, "--nonce", h.nonces[name])
	if fleet && os.Getenv("GITDOS_LONG") == "" {
		return // the rest is the same code, and a remote is slow
	}
	h.wants(4, "lease", "show", "--lane", name)
	if slot && os.Getenv("GITDOS_LONG") == "" {
		return
	}
	h.wants(4, "lease", "release", "--lane", name, "--nonce", h.nonces[name])
	h.wants(4, "lease", "log", "--lane", name)
	h.wants(4, "lease", "acquire", "--lane", "over-"+name, "--tree", name+"/deep/*.go")
}

// othersLive takes every step with lanes that hold no hostile record.
func (h *hostileAuthority) othersLive() {
	h.t.Helper()
	h.wants(0, "lease", "heartbeat", "--lane", "good", "--nonce", h.nonces["good"])
	h.wants(3, "lease", "acquire", "--lane", "good", "--owner", "other")
	h.wants(0, "lease", "release", "--lane", "good", "--nonce", h.nonces["good"])
	h.lease("good")
	h.lease("free")
	h.lease("word", "--tree", "word/**")
	h.wants(0, "lease", "heartbeat", "--lane", "word", "--nonce", h.nonces["word"])
	h.wants(0, "lease", "show", "--lane", "word")
	h.wants(0, "lease", "release", "--lane", "word", "--nonce", h.nonces["word"])
	h.wants(0, "lease", "log", "--lane", "good")
	h.wants(3, "lease", "acquire", "--lane", "all") // good is held, whatever the others are
	if h.refs != h.dir {
		h.pushes()
	}
}

// pushes lands a commit under a lease.
func (h *hostileAuthority) pushes() {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Join(h.dir, "good"), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "good", "f"), []byte("x\n"), 0o644); err != nil {
		h.t.Fatal(err)
	}
	gitIn(h.t, h.dir, h.env, "add", "good")
	gitIn(h.t, h.dir, h.env, "commit", "--quiet", "-m", "good: f")
	h.wants(0, "push", "--lane", "good")
	if want, got := gitIn(h.t, h.dir, h.env, "rev-parse", "HEAD"), h.git("rev-parse", "main"); want != got {
		h.t.Errorf("the trunk is at %s, want %s", got, want)
	}
}

// lists looks at all lanes at once.
func (h *hostileAuthority) lists(records []hostileRecord) {
	h.t.Helper()
	cmd := exec.Command("git-dos", "lease", "live", "--json")
	cmd.Dir, cmd.Env = h.dir, h.env
	out, _ := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != 4 {
		h.t.Errorf("lease live --json: status %d, want 4", code)
	}
	var rows []struct {
		Lane, Slot, State string
		Tree              []string
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		h.t.Fatalf("lease live --json: %v: %.300s", err, out)
	}
	got := map[string]string{}
	unreadable := 0
	for _, row := range rows {
		got[row.Lane] = row.State
		if row.State == "unreadable" {
			unreadable++
		}
	}
	if got["good"] != "held" || got["free"] != "held" || unreadable != len(records) {
		h.t.Errorf("lease live --json: %d lanes are unreadable of %d, and %v", unreadable, len(records), got)
	}
	if text := h.wants(4, "lease", "live"); !strings.Contains(text, "good") || strings.Count(text, "\n") < len(records)+2 {
		h.t.Errorf("lease live: %s", text)
	}
}

// A state of a later version binds like any other: the lane is neither free nor
// for its holder to renew, whatever the verb.
func TestLaneInAnUnknownStateIsNeverFree(t *testing.T) {
	t.Parallel()
	h := newHostile(t, false, []hostileRecord{{name: "odd"}})
	h.lease("good")
	ref := h.lease("odd")
	held := h.plant(ref, hostileRecord{"odd", hostileWith(func(e *hostileEntry) { e.record["state"] = "frozen" })})
	h.wants(3, "lease", "acquire", "--lane", "odd", "--owner", "other")
	h.wants(3, "lease", "acquire", "--lane", "over", "--tree", "odd/x")
	h.wants(3, "lease", "acquire", "--lane", "all")
	h.wants(3, "lease", "heartbeat", "--lane", "odd", "--nonce", h.nonces["odd"])
	h.wants(1, "arbitrate", "odd")
	h.wants(0, "lease", "show", "odd")
	if now := h.holds(ref); now != held {
		t.Errorf("the lane held %q and now holds %q", held, now)
	}
	h.lease("free")
	h.wants(0, "lease", "release", "--lane", "good", "--nonce", h.nonces["good"])
}

// While the order of admissions cannot be read nobody is admitted or renewed.
// What ends a lease does not need it.
func TestUnreadableOrderAdmitsNobody(t *testing.T) {
	t.Parallel()
	const order = "refs/dos/order/grants"
	for _, r := range []hostileRecord{
		{"newer record", hostileWith(func(e *hostileEntry) { e.record["v"] = 2 })},
		{"newer entry", hostileWith(func(e *hostileEntry) { e.format = 2 })},
		{"broken json", hostileWith(func(e *hostileEntry) { e.payload = `{"v":1` })},
		{"no lanes", hostileWith(func(e *hostileEntry) { delete(e.record, "lanes") })},
		{"a lane that is none", hostileWith(func(e *hostileEntry) {
			e.record["lanes"] = map[string]any{"a\x1b[2J": map[string]any{"gen": 1, "nonce": "n"}}
		})},
		{"blob", func(h *hostileAuthority, _ string, _ hostileEntry) string { return h.object("blob", "x") }},
		{"a lane's entry", func(h *hostileAuthority, _ string, _ hostileEntry) string {
			return strings.TrimSpace(h.git("rev-parse", "refs/dos/lane/good"))
		}},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			fleet := strings.HasPrefix(r.name, "newer")
			h := newHostile(t, fleet, nil)
			h.lease("good")
			held := h.plant(order, r)
			if fleet {
				h.elsewhere()
			}
			h.wants(4, "lease", "acquire", "--lane", "free")
			h.wants(4, "lease", "acquire", "--lane", "good")
			h.wants(4, "lease", "acquire", "--lane", "word", "--tree", "word/**")
			h.wants(4, "lease", "heartbeat", "--lane", "good", "--nonce", h.nonces["good"])
			h.wants(0, "lease", "release", "--lane", "good", "--nonce", h.nonces["good"])
			h.wants(4, "lease", "release", "--lane", "free", "--nonce", "none")
			h.wants(4, "lease", "acquire", "--lane", "free")
			if now := h.holds(order); now != held {
				t.Errorf("the order held %q and now holds %q", held, now)
			}
		})
	}
}
