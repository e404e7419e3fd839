package refstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// tracedRemote opens a clone whose git children that speak to the remote are
// written down. told returns them with their arguments, since it was last asked.
func tracedRemote(t *testing.T, dir string) (r *refstore.Repo, a *refstore.Remote, told func() [][]string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	r = open(t, dir)
	r.Git = r.Git.With("GIT_TRACE2_EVENT=" + log)
	a, err := r.Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	return r, a, func() (calls [][]string) {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var e struct {
				Event, SID string
				Argv       []string
			}
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if e.Event != "start" || strings.Contains(e.SID, "/") { // git's own children are part of it
				continue
			}
			if slices.ContainsFunc(e.Argv, func(s string) bool { return s == "fetch" || s == "push" || s == "ls-remote" || s == "pull" }) {
				calls = append(calls, e.Argv)
			}
		}
		write(t, log, "")
		return calls
	}
}

// onMirror decides on what the remote was last seen to hold.
type onMirror struct{ *refstore.Remote }

func (m onMirror) Read(ctx context.Context, q refstore.Query) (refstore.Snapshot, error) {
	return m.Cached(ctx, q)
}

// TestUncontendedWriteIsOneFetchAndOnePush over every transport, with two refs
// as an admission moves them, and one push alone where the mirror is what was
// last written. Each names exactly what it is about: nobody's tags, branches or
// journals come along, and every ref that moves has the value it was decided on.
func TestUncontendedWriteIsOneFetchAndOnePush(t *testing.T) {
	t.Parallel()
	for _, by := range transports {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, by, "")
			f.append(t, f.peerRepo, f.peer, "refs/dos/journal/peer", entry("ROW", 1, `{}`))
			r, a, told := tracedRemote(t, f.repo.WorkTree)
			for _, tt := range []struct {
				claim string
				auth  refstore.Authority
				refs  []string
				want  string
			}{
				{"an admission that creates both", a, []string{laneRef, killedOrder}, "fetch push"},
				{"an admission that moves both", a, []string{laneRef, killedOrder}, "fetch push"},
				{"one ref, decided on the mirror", onMirror{a}, []string{laneRef}, "push"},
				{"and again", onMirror{a}, []string{laneRef}, "push"},
			} {
				before := map[string]refstore.OID{laneRef: f.rev(t, laneRef), killedOrder: f.rev(t, killedOrder)}
				u, err := r.Update(t.Context(), tt.auth, queryFor(laneRef, killedOrder), func(s refstore.Snapshot) (writes []refstore.Write, err error) {
					for _, ref := range tt.refs {
						writes = append(writes, refstore.Write{Ref: ref, Entry: entry("MOVE", s.Tip(ref).Entry.Gen+1, `{}`)})
					}
					return writes, nil
				})
				if err != nil {
					t.Fatalf("%s: %v", tt.claim, err)
				}
				calls, names := told(), []string{}
				for _, argv := range calls {
					if slices.Contains(argv, "push") {
						names = append(names, "push")
						wantPush(t, tt.claim, argv, before, u.Wrote)
						continue
					}
					names = append(names, "fetch")
					wantFetch(t, tt.claim, argv)
				}
				if got := strings.Join(names, " "); got != tt.want {
					t.Errorf("%s: %q, want %q: %q", tt.claim, got, tt.want, calls)
				}
			}
		})
	}
}

// wantPush is one atomic push of the moves, each with its exact old value, or
// none for a ref that must not be there, and of nothing else.
func wantPush(t *testing.T, claim string, argv []string, before map[string]refstore.OID, moves []refstore.Move) {
	t.Helper()
	for _, flag := range []string{"--atomic", "--no-verify", "--no-follow-tags"} {
		if !slices.Contains(argv, flag) {
			t.Errorf("%s: push without %s: %q", claim, flag, argv)
		}
	}
	var leases, refspecs []string
	for _, m := range moves {
		leases = append(leases, "--force-with-lease="+m.Ref+":"+string(before[m.Ref]))
		refspecs = append(refspecs, string(m.New)+":"+m.Ref)
	}
	got := slices.DeleteFunc(slices.Clone(argv), func(s string) bool { return !strings.HasPrefix(s, "--force-with-lease") })
	if !slices.Equal(got, leases) {
		t.Errorf("%s: push expects %q, want %q", claim, got, leases)
	}
	if at := slices.Index(argv, "origin"); at < 0 || !slices.Equal(argv[at+1:], refspecs) {
		t.Errorf("%s: %q pushes other refs than %q", claim, argv, refspecs)
	}
}

// wantFetch is of the two kinds by name, without tags.
func wantFetch(t *testing.T, claim string, argv []string) {
	t.Helper()
	var refspecs []string
	for _, s := range argv {
		if strings.Contains(s, "refs/") {
			refspecs = append(refspecs, s)
		}
	}
	want := []string{"+refs/dos/lane/*:refs/dos/at/origin/lane/*", "+refs/dos/order/*:refs/dos/at/origin/order/*"}
	if !slices.Equal(refspecs, want) || !slices.Contains(argv, "--no-tags") || !slices.Contains(argv, "--refmap=") {
		t.Errorf("%s: %q, want a fetch of %q and no tags", claim, argv, want)
	}
}
