package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A hostileRecord is planted on the chain of a lane that was leased honestly.
// It is given the tip's own entry and record to start from.
type hostileRecord struct {
	name  string
	plant func(h *hostileAuthority, ref string, e hostileEntry) string // the object to plant, "" when it is planted
}

var hostileRecords = []hostileRecord{
	{"newer-record", hostileWith(func(e *hostileEntry) { e.record["v"] = 2 })},
	{"newer-entry", hostileWith(func(e *hostileEntry) { e.format = 2 })},
	{"broken-json", hostileWith(func(e *hostileEntry) { e.payload = `{"v":1,` })},
	{"no-record", hostileWith(func(e *hostileEntry) { e.payload = `[]` })},
	{"empty-record", hostileWith(func(e *hostileEntry) { e.payload = `{}` })},
	{"jump", hostileWith(func(e *hostileEntry) { e.gen, e.record["gen"] = 3, 3 })},
	{"first-jump", hostileWith(func(e *hostileEntry) { e.gen, e.record["gen"], e.root = 4, 4, true })},
	{"backward", hostileWith(func(e *hostileEntry) { e.gen, e.record["gen"] = 0, 0 })},
	{"two-generations", hostileWith(func(e *hostileEntry) { e.gen = 2 })},
	{"huge", hostileWith(func(e *hostileEntry) { e.record["reason"] = strings.Repeat("x", 3<<19) })},
	{"escape-lane", hostileWith(func(e *hostileEntry) { e.record["lane"] = "a\x1b[2Jb" })},
	{"escape-owner", hostileWith(func(e *hostileEntry) {
		e.record["holder"] = map[string]any{"node": "n", "owner": "o\x1b]0;own\x07"}
	})},
	{"escape-reason", hostileWith(func(e *hostileEntry) { e.record["reason"] = "gone\x1b[1A\x1b[2K" })},
	{"climb", hostileWith(func(e *hostileEntry) { e.record["tree"] = []string{"../../etc/**"} })},
	{"absolute", hostileWith(func(e *hostileEntry) { e.record["tree"] = []string{"/etc/passwd"} })},
	{"unclean", hostileWith(func(e *hostileEntry) { e.record["tree"] = []string{"./docs//x"} })},
	{"no-nonce", hostileWith(func(e *hostileEntry) { e.record["nonce"] = "" })},
	{"no-ttl", hostileWith(func(e *hostileEntry) { e.record["ttl_s"] = 0 })},
	{"wrong-time", hostileWith(func(e *hostileEntry) { e.record["renewed_at"] = "yesterday" })},
	{"other-name", hostileWith(func(e *hostileEntry) { e.record["lane"] = "good" })},
	{"other-entry", func(h *hostileAuthority, _ string, _ hostileEntry) string {
		return strings.TrimSpace(h.git("rev-parse", "refs/dos/lane/good"))
	}},
	{"merge", func(h *hostileAuthority, ref string, e hostileEntry) string {
		return h.commit(ref, e, "refs/dos/lane/good")
	}},
	{"blob", func(h *hostileAuthority, _ string, _ hostileEntry) string { return h.object("blob", "free\n") }},
	{"tag", func(h *hostileAuthority, ref string, _ hostileEntry) string {
		at := strings.TrimSpace(h.git("rev-parse", ref))
		return h.object("tag", "object "+at+"\ntype commit\ntag t\ntagger w <w@x> 1 +0000\n\nx\n")
	}},
	{"symbolic", func(h *hostileAuthority, ref string, _ hostileEntry) string {
		h.git("symbolic-ref", ref, "refs/dos/lane/good")
		return ""
	}},
}

// hostileHere can only be planted in a repository that is its own authority: a
// server does not offer such refs.
var hostileHere = []hostileRecord{
	{"missing", func(h *hostileAuthority, ref string, _ hostileEntry) string {
		h.write(ref, strings.Repeat("5", 40)+"\n")
		return ""
	}},
	{"zeros", func(h *hostileAuthority, ref string, _ hostileEntry) string { h.write(ref, ""); return "" }},
}

// A hostileEntry is an entry to be planted.
type hostileEntry struct {
	gen     uint64
	format  int
	root    bool // without a parent
	record  map[string]any
	payload string // instead of the record
}

func hostileWith(change func(*hostileEntry)) func(*hostileAuthority, string, hostileEntry) string {
	return func(h *hostileAuthority, ref string, e hostileEntry) string {
		change(&e)
		return h.commit(ref, e)
	}
}

// plant puts a record on a chain and returns what the ref then holds.
func (h *hostileAuthority) plant(ref string, r hostileRecord) string {
	h.t.Helper()
	message := h.git("log", "-1", "--format=%B", ref)
	e := hostileEntry{gen: 1, format: 1, record: map[string]any{}}
	if err := json.Unmarshal([]byte(strings.Split(message, "\n\n")[1]), &e.record); err != nil {
		h.t.Fatal(err)
	}
	if id := r.plant(h, ref, e); id != "" {
		h.git("update-ref", ref, id)
	}
	return h.holds(ref)
}

// holds is what a ref holds, as its file has it or as git says.
func (h *hostileAuthority) holds(ref string) string {
	for _, dir := range []string{h.refs, filepath.Join(h.refs, ".git")} {
		if b, err := os.ReadFile(filepath.Join(dir, ref)); err == nil {
			return string(b)
		}
	}
	return h.git("for-each-ref", "--format=%(objectname) %(symref)", ref)
}

func (h *hostileAuthority) write(ref, content string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.refs, ".git", ref), []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// object writes an object of a kind.
func (h *hostileAuthority) object(kind, body string) string {
	h.t.Helper()
	file := filepath.Join(h.t.TempDir(), "object")
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return strings.TrimSpace(h.git("hash-object", "-t", kind, "-w", "--no-filters", "--", file))
}

// commit makes an entry for a ref, on top of what it holds and of others.
func (h *hostileAuthority) commit(ref string, e hostileEntry, others ...string) string {
	h.t.Helper()
	if e.payload == "" {
		b, err := json.Marshal(e.record)
		if err != nil {
			h.t.Fatal(err)
		}
		e.payload = string(b)
	}
	var parents string
	if !e.root {
		for _, p := range append([]string{ref}, others...) {
			parents += "parent " + strings.TrimSpace(h.git("rev-parse", p)) + "\n"
		}
	}
	kind, leaf := strings.Split(ref, "/")[2], strings.Split(ref, "/")[3]
	const op = "HEARTBEAT"
	message := fmt.Sprintf("dos %s: %s %s g%d\n\n%s\n\nDos-Format: %d\nDos-Op: %s\nDos-Gen: %d\nDos-Attempt: %s\n", kind, op, leaf, e.gen, e.payload, e.format, op, e.gen, strings.Repeat("ab", 8))
	if h.empty == "" {
		h.empty = h.object("tree", "")
	}
	return h.object("commit", "tree "+h.empty+"\n"+parents+"author w <w@x> 1767225600 +0000\ncommitter w <w@x> 1767225600 +0000\n\n"+message)
}
