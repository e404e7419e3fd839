package refstore_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

var (
	jgit    = transport{"jgit", serveJGit}
	dulwich = transport{"dulwich", serveDulwich}
)

// serveJGit runs the daemon of testdata/JGitDaemon.java, compiled as it starts.
func serveJGit(t testing.TB, root string) (string, []string) {
	t.Helper()
	java, err := exec.LookPath("java")
	jars := []string{"/usr/share/java/org.eclipse.jgit.jar", "/usr/share/java/slf4j-api.jar"}
	for _, jar := range jars {
		_, serr := os.Stat(jar)
		err = errors.Join(err, serr)
	}
	if err != nil {
		t.Skipf("no JGit on this machine (Debian's libjgit-java and a JDK): %v", err)
	}
	port := freePort(t)
	cmd := exec.Command(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-cp", strings.Join(jars, ":"),
		filepath.Join("testdata", "JGitDaemon.java"), port, root)
	cmd.Env = elsewhere()
	serveUntilEnd(t, cmd, port)
	return "git://127.0.0.1:" + port, nil
}

// serveDulwich runs the server of testdata/dulwich_daemon.py by the Python that
// the distribution's packages belong to.
func serveDulwich(t testing.TB, root string) (string, []string) {
	t.Helper()
	const python = "/usr/bin/python3"
	if out, err := exec.Command(python, "-c", "import dulwich.server").CombinedOutput(); err != nil {
		t.Skipf("no dulwich on this machine (Debian's python3-dulwich): %v: %s", err, out)
	}
	port := freePort(t)
	cmd := exec.Command(python, filepath.Join("testdata", "dulwich_daemon.py"), port, root)
	cmd.Env = elsewhere()
	serveUntilEnd(t, cmd, port)
	return "git://127.0.0.1:" + port, nil
}

// TestJGitIsAnAuthorityLikeAnyOther holds it to what git's own servers are held
// to: create, advance, must-not-exist, lost races, several refs at once. Each
// claim has a repository of its own: JGit looks for packs over and over while the
// last one is younger than 2.5 s, which a push that follows on another waits for.
func TestJGitIsAnAuthorityLikeAnyOther(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	url, config := jgit.serve(t, root)
	claims := append(slices.Clone(conformance), []claim{
		{"the mirror follows what was won", mirrorFollows},
		{"a refusal carries its words and moves nothing", jgitRefuses},
		{"one refused ref holds the others back", jgitRefusesOne},
		{"what it lost is not free", losesALane},
	}...)
	if !long { // without those about what readers make of what is there, whoever serves it
		claims = slices.DeleteFunc(claims, func(c claim) bool {
			return strings.Contains(c.claim, "checkpoint") || strings.Contains(c.claim, "payload") || strings.Contains(c.claim, "hostile") || strings.Contains(c.claim, "no entry of ours")
		})
	}
	t.Run("claims", func(t *testing.T) {
		for i, c := range claims {
			t.Run(c.claim, func(t *testing.T) {
				t.Parallel()
				name := fmt.Sprintf("hub%d.git", i)
				gitIn(t, root, "init", "--quiet", "--bare", name)
				f := &fixture{raw: filepath.Join(root, name), prefix: refstore.DefaultPrefix, remote: true}
				f.repo, f.auth = cloneAuthority(t, url+"/"+name, config, "")
				f.peerRepo, f.peer = cloneAuthority(t, url+"/"+name, config, "")
				c.check(t, f)
				gitIn(t, f.raw, "fsck", "--no-dangling")
			})
		}
	})
}

// mirrorFollows looks at the mirror right after two refs were won, without a
// fetch between, and after the other writer moved one of them.
func mirrorFollows(t *testing.T, f *fixture) {
	const first, second = "refs/dos/mirrored/api", "refs/dos/mirrored/docs"
	for range 2 {
		u, err := f.update(t, 20*time.Second, first, second)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range u.Wrote {
			if got := f.mirrored(t, m.Ref); got != m.New || f.rev(t, m.Ref) != m.New {
				t.Errorf("%s: the mirror has %s, the server %s, won was %s", m.Ref, got, f.rev(t, m.Ref), m.New)
			}
		}
	}
	id := f.append(t, f.peerRepo, f.peer, first, entry("THEIRS", 3, `{}`))
	if tip := f.read(t, "mirrored").Tip(first); tip.ID != id || f.mirrored(t, first) != id {
		t.Errorf("read %s, the mirror has %s, the other wrote %s", tip.ID, f.mirrored(t, first), id)
	}
}

// mirrored is what the writer's own mirror has of a ref.
func (f *fixture) mirrored(t *testing.T, ref string) refstore.OID {
	t.Helper()
	return refstore.OID(gitIn(t, f.repo.CommonDir, "for-each-ref", "--format=%(objectname)", "refs/dos/at/origin/"+strings.TrimPrefix(ref, "refs/dos/")))
}

// losesALane deletes a ref behind the server's back. What was seen there is
// reported, not taken for absent.
func losesALane(t *testing.T, f *fixture) {
	const ref = "refs/dos/losing/api"
	id := f.append(t, f.repo, f.auth, ref, entry("ACQUIRE", 1, `{}`))
	gitIn(t, f.raw, "update-ref", "-d", f.name(ref))
	var lost *refstore.LostStateError
	if _, err := f.update(t, 20*time.Second, ref); !errors.As(err, &lost) || lost.Had[ref] != id || f.rev(t, ref) != "" {
		t.Errorf("ended with %v, the server has %q", err, f.rev(t, ref))
	}
}

func jgitRefuses(t *testing.T, f *fixture) {
	const ref = "refs/dos/refused/api"
	before := f.append(t, f.repo, f.auth, ref, entry("ACQUIRE", 1, `{}`))
	path := filepath.Join(f.raw, "frozen")
	write(t, path, "")
	_, err := f.update(t, 20*time.Second, ref)
	if o := outcome(t, err); o.Result != refstore.Denied || !strings.Contains(o.Words, "frozen until Monday") {
		t.Errorf("%s: %v", o.Result, err)
	}
	if got := f.rev(t, ref); got != before {
		t.Errorf("the ref went to %s", got)
	}
	remove(t, path)
	f.append(t, f.repo, f.auth, ref, entry("MOVE", 2, `{}`))
}

func jgitRefusesOne(t *testing.T, f *fixture) {
	const ref, order = "refs/dos/half/api", "refs/dos/order/grants"
	path := filepath.Join(f.raw, "frozen-order")
	write(t, path, "")
	_, err := f.update(t, 20*time.Second, ref, order)
	if o := outcome(t, err); o.Result != refstore.Denied || len(o.Landed) != 0 || !strings.Contains(o.Words, "frozen until Monday") {
		t.Errorf("%s, landed %v: %v", o.Result, o.Landed, err)
	}
	if f.rev(t, ref)+f.rev(t, order) != "" {
		t.Error("a ref moved")
	}
	remove(t, path)
	if _, err := f.update(t, 20*time.Second, ref, order); err != nil {
		t.Error(err)
	}
}

// TestRacersOnJGit has clones create the same refs at once, then append to one.
func TestRacersOnJGit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	hub := hubAt(t, root)
	url, config := jgit.serve(t, root)
	clones := make([]string, full(3, 16))
	racers := make([]racer, len(clones))
	for i := range clones {
		clones[i] = cloneOf(t, url+"/hub.git", config)
		racers[i] = startRacer(t, clones[i])
	}
	for round := range full(1, 10) {
		ref := fmt.Sprintf("refs/dos/lane/round%d", round)
		if won := raceOnce(t, racers, ref); len(won) != 1 || won[0] != gitIn(t, hub, "rev-parse", ref) {
			t.Errorf("%s: %v won", ref, won)
		}
	}
	const log = "refs/dos/journal/log"
	each := full(2, 10)
	verifyLog(t, localFixture(t, hub), log, raceAppendsIn(t, clones, "origin", log, each), each*len(clones))
	gitIn(t, hub, "fsck", "--strict")
}

// TestALockOnJGitIsWaitedFor: JGit says of a ref that somebody else is moving that it
// could not lock it, and not whose lock that is.
func TestALockOnJGitIsWaitedFor(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, jgit, "")
	f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
	lock := filepath.Join(f.raw, laneRef+".lock")
	write(t, lock, "")
	if _, err := f.update(t, 3*time.Second, laneRef); outcome(t, err).Result != refstore.Unchanged {
		t.Errorf("while it is locked: %v", err)
	}
	time.AfterFunc(time.Second, func() { os.Remove(lock) })
	if _, err := f.update(t, 30*time.Second, laneRef); err != nil {
		t.Errorf("once it is not: %v", err)
	}
}

// TestServerWithoutAtomicIsRefusedByName: dulwich takes pushes of several refs
// and moves them one by one. It is told apart before anything moved, for one
// ref as for several, and reading it is left alone.
func TestServerWithoutAtomicIsRefusedByName(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, dulwich, "")
	const order = "refs/dos/order/grants"
	for _, refs := range [][]string{{laneRef}, {laneRef, order}} {
		_, err := f.update(t, 20*time.Second, refs...)
		if o := outcome(t, err); o.Result != refstore.NoAtomic || !strings.Contains(err.Error(), "cannot push atomically") {
			t.Errorf("%v: %s: %v", refs, o.Result, err)
		}
		if f.rev(t, laneRef)+f.rev(t, order) != "" {
			t.Errorf("%v: a ref moved", refs)
		}
	}
	planted := f.plant(t, laneRef, "commit", f.commit(t, message("lane", "api", "ACQUIRE", "1", `{}`, "1")))
	if tip := f.read(t, "lane").Tip(laneRef); tip.Err != nil || tip.ID != planted || f.mirrored(t, laneRef) != planted {
		t.Errorf("read %+v", tip)
	}
	if _, err := f.update(t, 20*time.Second, laneRef, order); outcome(t, err).Result != refstore.NoAtomic {
		t.Errorf("an advance: %v", err)
	}
	if f.rev(t, laneRef) != planted || f.rev(t, order) != "" {
		t.Error("a ref moved")
	}
	u, err := f.auth.Read(ctx, queryFor(laneRef, order))
	if err != nil || u.Tip(laneRef).ID != planted || u.Tip(order).ID != "" {
		t.Errorf("after the refusals: %v", err)
	}
}
