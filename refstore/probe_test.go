//go:build unix

package refstore_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

func (f *fixture) probe(t testing.TB) refstore.Probing {
	t.Helper()
	p, err := f.auth.(*refstore.Remote).Probe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answers is a probing in one line.
func answers(p refstore.Probing) string {
	return fmt.Sprintf("create %s, shown %t, advance %s, again %s, stale %s, atomic %s, rewind %s, delete %s, guarded %t, left %d",
		p.Create.Result, p.Shown, p.Advance.Result, p.Again.Result, p.Stale.Result, p.Atomic.Result, p.Rewind.Result, p.Delete.Result, p.Guarded, len(p.Left))
}

const soundAnswers = "create won, shown true, advance won, again unchanged, stale unchanged, atomic won, rewind won, delete won, guarded false, left 0"

// TestProbeOfASoundRemoteLeavesNothing, there or here, and no state that others
// could take for lost.
func TestProbeOfASoundRemoteLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, by := range transports {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, by, "")
			f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
			p := f.probe(t)
			if got := answers(p); got != soundAnswers {
				t.Errorf("%s\n%+v", got, p)
			}
			if left := gitIn(t, f.raw, "for-each-ref", "--format=%(refname)"); left != laneRef {
				t.Errorf("the remote has %s", left)
			}
			if here := gitIn(t, f.repo.WorkTree, "for-each-ref", "--format=%(refname)"); here != "refs/dos/at/origin/lane/api" {
				t.Errorf("here is %s", here)
			}
			told := by.name == "file" || by.name == "http"
			if p.Clock.Known != told || p.Clock.Ahead.Abs() > 3*time.Second {
				t.Errorf("clock %+v", p.Clock)
			}
		})
	}
	t.Run("prefix", func(t *testing.T) {
		t.Parallel()
		p := remoteFixture(t, transports[0], "refs/heads/dos").probe(t)
		if got := answers(p); got != soundAnswers || !strings.HasPrefix(p.Scratch, "refs/heads/dos/meta/probe-") {
			t.Errorf("%s of %s", got, p.Scratch)
		}
	})
}

// TestProbeTellsWhatAServerWithholds, one thing at a time.
func TestProbeTellsWhatAServerWithholds(t *testing.T) {
	t.Parallel()
	const deny = "echo nothing of yours; exit 1"
	unasked := "advance unknown, again unknown, stale unknown, atomic unknown, rewind unknown, delete unknown, guarded false, left 0"
	replaced := func(old, new string) string { return strings.Replace(soundAnswers, old, new, 1) }
	for _, c := range []struct {
		claim  string
		config string
		hook   string
		body   string
		want   string
		words  string
	}{
		{"hidden", "transfer.hideRefs=refs/dos", "", "", "create hidden namespace, shown false, " + unasked, "hidden"},
		{"hidden from writers", "receive.hideRefs=refs/dos", "", "", "create hidden namespace, shown false, " + unasked, "hidden"},
		{"hidden from readers", "uploadpack.hideRefs=refs/dos", "", "", "create unchanged, shown false, " + unasked, "does not show"},
		{"refused by a hook", "", "pre-receive", "while read o n r; do case $r in refs/dos/*) " + deny + ";; esac; done", "create denied, shown false, " + unasked, "nothing of yours"},
		{"branches cannot be rewound", "receive.denyNonFastForwards=true", "", "", replaced("rewind won", "rewind denied"), ""},
		{"branches cannot be deleted", "receive.denyDeletes=true", "", "", replaced("delete won, guarded false, left 0", "delete denied, guarded false, left 1"), ""},
		{"no atomic pushes", "receive.advertiseAtomic=false", "", "", replaced("atomic won", "atomic no atomic push"), ""},
		{"no deletions by a hook", "", "update", "case $3 in *[1-9a-f]*) ;; *) " + deny + ";; esac", replaced("delete won, guarded false, left 0", "delete denied, guarded false, left 1"), ""},
		{"no other kind, by the hooks of git-dos", "", "update", "case $1 in refs/dos/meta/*) ;; *) echo git-dos: UNKNOWN_REF; exit 1;; esac", replaced("guarded false", "guarded true"), ""},
		{"no other kind, by whatever else", "", "update", "case $1 in refs/dos/meta/*) ;; *) " + deny + ";; esac", soundAnswers, ""},
		{"another kind for ever", "", "update", "case $1$3 in refs/dos/probe/*[1-9a-f]) ;; refs/dos/probe/*) " + deny + ";; esac", replaced("left 0", "left 1"), ""},
	} {
		t.Run(c.claim, func(t *testing.T) {
			t.Parallel()
			prefix := ""
			if strings.HasPrefix(c.claim, "branches") { // git's settings speak of these alone
				prefix = "refs/heads/dos"
			}
			f := remoteFixture(t, transports[0], prefix)
			if key, value, ok := strings.Cut(c.config, "="); ok {
				gitIn(t, f.raw, "config", key, value)
			}
			if c.hook != "" {
				f.hook(t, c.hook, c.body)
			}
			p := f.probe(t)
			if got := answers(p); got != c.want || !strings.Contains(p.Create.Words, c.words) {
				t.Errorf("%s\nwant %s\nwords %q", got, c.want, p.Create.Words)
			}
			for _, left := range p.Left {
				if gitIn(t, f.raw, "for-each-ref", "--format=%(refname)") != left {
					t.Errorf("left %s", left)
				}
			}
		})
	}
}

// TestScratchThatIsLeftIsNoState: others read it, and nobody misses it.
func TestScratchThatIsLeftIsNoState(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.hook(t, "update", "case $3 in *[1-9a-f]*) ;; *) exit 1;; esac")
	p := f.probe(t)
	s := f.read(t, "meta")
	tips := s.List("meta")
	if len(tips) != 1 || !refstore.IsProbe(tips[0].Ref) || refstore.IsProbe("refs/dos/meta/format") {
		t.Fatalf("read %+v", tips)
	}
	gitIn(t, f.raw, "update-ref", "-d", p.Left[0])
	if l := lost(t, f.auth, "meta"); l != nil {
		t.Errorf("deleted by hand: %v", l)
	}
}

// TestProbeFindsAnAtomicPushThatIsNone: the server offers it, and moves what it
// can of a transaction it cannot carry out.
func TestProbeFindsAnAtomicPushThatIsNone(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	// A server that takes the word atomic for something else: it hands the commands on without it.
	strip := script(t, filepath.Join(t.TempDir(), "strip"), `exec perl -e '
		binmode STDIN; binmode STDOUT; $| = 1;
		open(my $in, "|-", "git-receive-pack", @ARGV) or die;
		binmode $in;
		my $first = 1;
		while (1) { my $n = sysread(STDIN, my $b, 65536); last unless $n;
			if ($first and $b =~ s/ atomic/ at0mic/) { $first = 0 }
			syswrite($in, $b) }
		close($in)' "$@"`)
	gitIn(t, f.repo.WorkTree, "config", "remote.origin.receivepack", strip)
	if p := f.probe(t); p.Atomic.Result != refstore.Lost {
		t.Errorf("%s\n%+v", answers(p), p)
	}
	if left := gitIn(t, f.raw, "for-each-ref"); left != "" {
		t.Errorf("left %s", left)
	}
}

func TestProbeOfARemoteOutOfReachIsAnError(t *testing.T) {
	t.Parallel()
	_, a := cloneAuthority(t, filepath.Join(t.TempDir(), "gone"), nil, "")
	p, err := a.Probe(ctx)
	var o *refstore.OutcomeError
	if !errors.As(err, &o) || o.Outcome.Result != refstore.Offline || p.Create.Result != refstore.Unknown {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestProbeSeesAServersClock that is an hour ahead, or behind.
func TestProbeSeesAServersClock(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{time.Hour, -time.Hour} {
		root := t.TempDir()
		hubAt(t, root)
		base, _ := serveHTTP(t, root)
		target, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.ModifyResponse = func(r *http.Response) error {
			r.Header.Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
			return nil
		}
		server := httptest.NewServer(proxy)
		t.Cleanup(server.Close)
		_, a := cloneAuthority(t, server.URL+"/hub.git", nil, "")
		p, err := a.Probe(ctx)
		if err != nil || !p.Clock.Known || (p.Clock.Ahead-off).Abs() > 5*time.Second {
			t.Errorf("%s off: %+v, %v", off, p.Clock, err)
		}
	}
	// The file of the scratch ref has a time, too.
	f := remoteFixture(t, transports[0], "")
	f.hook(t, "post-receive", "find refs -name 'probe-*' -exec touch -d '2 hours ago' {} +")
	if p := f.probe(t); !p.Clock.Known || (p.Clock.Ahead+2*time.Hour).Abs() > 5*time.Second {
		t.Errorf("by the file: %+v", p.Clock)
	}
	if _, err := os.Stat(f.raw); err != nil {
		t.Fatal(err)
	}
}
