package facts

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// rulesAhead is rulesOf for a verb that reads; asked says whether git was asked for a
// file of the trunk.
func rulesAhead(t *testing.T, dir string) (r Rules, asked bool, err error) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("GIT_TRACE", trace)
	defer os.Unsetenv("GIT_TRACE")
	repo, err := refstore.OpenAhead(context.Background(), dir, refstore.Ahead{})
	if err != nil {
		t.Fatal(err)
	}
	r, err = LoadRules(context.Background(), repo)
	text, terr := os.ReadFile(trace)
	if terr != nil || !bytes.Contains(text, []byte("rev-parse")) {
		t.Fatalf("git was not traced: %v", terr)
	}
	return r, bytes.Contains(text, []byte("cat-file")), err
}

// fleetClone is a clone of a fleet whose trunk has these files.
func fleetClone(t *testing.T, files ...string) (h *history, clone string) {
	t.Helper()
	h = newHistory(t)
	h.commit("rules", append([]string{"dos.toml", ofAFleet + fiveMinutes}, files...)...)
	clone = filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", "--no-hardlinks", h.dir, clone)
	h.at(clone, "config", "dos.remote", "origin")
	return h, clone
}

// What was read of the trunk's commit is read again without git, until the trunk is
// at another, and says the same.
func TestFilesOfTheTrunkAreKeptForItsCommit(t *testing.T) {
	for claim, files := range map[string][]string{
		"a module of git-dos's own": {modFile, "module " + ownModule + "\n"}, "no module": nil, "an empty file": {modFile, ""},
	} {
		own := len(files) > 0 && files[1] != ""
		h, clone := fleetClone(t, files...)
		want, err := rulesOf(t, clone)
		if err != nil {
			t.Fatal(err)
		}
		check := func(when, ttl string, asks bool) {
			t.Helper()
			r, asked, err := rulesAhead(t, clone)
			if err != nil || asked != asks || r.Policy.Lease.TTL.String() != ttl || (len(r.Policy.Admission.SelfModify) > 0) != own {
				t.Errorf("%s, %s: %v, git was asked: %v, ttl %s, protected %q", claim, when, err, asked, r.Policy.Lease.TTL, r.Policy.Admission.SelfModify)
			}
			if ttl == "5m0s" && (r.Trunk != want.Trunk || r.Source != want.Source || r.Remote != want.Remote) {
				t.Errorf("%s, %s: %+v of %q, want %+v of %q", claim, when, r.Trunk, r.Source, want.Trunk, want.Source)
			}
		}
		check("first", "5m0s", true)
		check("again", "5m0s", false)
		h.commit("other rules", "dos.toml", ofAFleet+tenMinutes)
		check("before it is fetched", "5m0s", false)
		h.at(clone, "fetch", "-q")
		check("after the trunk has moved", "10m0s", true)
		check("and again", "10m0s", false)
		h.git("branch", "-q", "release", "HEAD^")
		h.at(clone, "fetch", "-q")
		h.at(clone, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release")
		if r, asked, err := rulesAhead(t, clone); err != nil || !asked || r.Trunk.Ref != "refs/remotes/origin/release" || r.Policy.Lease.TTL.String() != "5m0s" {
			t.Errorf("%s, another branch: %v, git was asked: %v, %+v", claim, err, asked, r.Trunk)
		}
	}
}

// Of what is kept nothing is believed that is not as it was written.
func TestDoubtfulFilesOfTheTrunkAreReadAnew(t *testing.T) {
	_, clone := fleetClone(t)
	if _, _, err := rulesAhead(t, clone); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(clone, ".git", "dos", "trunk.origin")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := bytes.Cut(good, []byte("\n"))
	edited := func(change func(*keptFiles)) []byte {
		var k keptFiles
		if err := json.Unmarshal(text, &k); err != nil {
			t.Fatal(err)
		}
		change(&k)
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte(digest(text)+"\n"), text...)
	}
	for claim, bytes := range map[string][]byte{
		"an empty file":           {},
		"half of it":              good[:len(good)/2],
		"another digest":          append([]byte("0"), good[1:]...),
		"another text":            bytes.Replace(good, []byte(`"files"`), []byte(`"filet"`), 1),
		"no files":                edited(func(k *keptFiles) { k.Files = nil }),
		"of another commit":       edited(func(k *keptFiles) { k.Commit = refstore.OID(strings.Repeat("1", 40)) }),
		"of another branch":       edited(func(k *keptFiles) { k.Ref += "x" }),
		"nothing but a line":      []byte(digest(nil) + "\n"),
		"a line that is no JSON":  []byte(digest([]byte("x")) + "\nx"),
		"neither dos.toml nor it": edited(func(k *keptFiles) { clear(k.Files) }),
	} {
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, asked, err := rulesAhead(t, clone); err != nil || !asked || r.Policy.Lease.TTL.String() != "5m0s" {
			t.Errorf("%s: %v, git was asked: %v, ttl %s", claim, err, asked, r.Policy.Lease.TTL)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(good) {
			t.Errorf("%s: it was not replaced: %v", claim, err)
		}
	}
}

// A file that the commit has and that cannot be read is not kept as one that it has not.
func TestAFileThatCannotBeReadIsNotKeptAsAbsent(t *testing.T) {
	h, clone := fleetClone(t, modFile, "module "+ownModule+"\n")
	id := h.git("rev-parse", "HEAD:"+modFile)
	object := filepath.Join(clone, ".git", "objects", id[:2], id[2:])
	blob, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	_, _, _ = rulesAhead(t, clone) // whatever it says while the object is gone
	if err := os.WriteFile(object, blob, 0o400); err != nil {
		t.Fatal(err)
	}
	if r, _, err := rulesAhead(t, clone); err != nil || len(r.Policy.Admission.SelfModify) == 0 {
		t.Errorf("%v, protected %q", err, r.Policy.Admission.SelfModify)
	}
}

// Who may not write reads all the same.
func TestRulesAreReadWhereNothingCanBeKept(t *testing.T) {
	_, clone := fleetClone(t)
	if err := os.WriteFile(filepath.Join(clone, ".git", "dos"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r, asked, err := rulesAhead(t, clone); err != nil || !asked || r.Policy.Lease.TTL.String() != "5m0s" {
			t.Errorf("%v, git was asked: %v, ttl %s", err, asked, r.Policy.Lease.TTL)
		}
	}
}

// What cannot be put in its place is not left beside it.
func TestTrunkFilesThatCannotBeKeptLeaveNothing(t *testing.T) {
	_, clone := fleetClone(t)
	path := filepath.Join(clone, ".git", "dos", "trunk.origin")
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, asked, err := rulesAhead(t, clone); err != nil || !asked {
		t.Fatalf("%v, git was asked: %v", err, asked)
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}
