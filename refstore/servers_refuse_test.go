//go:build unix

package refstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// TestRefusalsAreNamedAlikeByEveryServer: whatever carries git's words, the same
// refusal has the same name, and nothing moves.
func TestRefusalsAreNamedAlikeByEveryServer(t *testing.T) {
	t.Parallel()
	for _, by := range transports {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, by, "")
			mirrorFollows(t, f)
			for _, refs := range [][]string{{laneRef}, {laneRef, killedOrder}} { // a create, and an advance with a create
				f.refuses(t, refstore.HiddenNames, "hides the namespace", refs, func() func() {
					gitIn(t, f.raw, "config", "receive.hideRefs", "refs/dos")
					return func() { gitIn(t, f.raw, "config", "--unset", "receive.hideRefs") }
				})
				f.refuses(t, refstore.Denied, "frozen until Monday", refs, func() func() {
					f.hook(t, "update", "case $1 in *lane*) exit 0;; esac\necho frozen until Monday; exit 1")
					if len(refs) == 1 {
						f.hook(t, "update", "echo frozen until Monday; exit 1")
					}
					return func() { f.hook(t, "update", "exit 0") }
				})
				if _, err := f.update(t, 20*time.Second, laneRef); err != nil {
					t.Fatal(err)
				}
			}
			losesALane(t, f)
		})
	}
}

// refuses has an update refused while a trouble lasts.
func (f *fixture) refuses(t *testing.T, want refstore.Result, words string, refs []string, trouble func() func()) {
	t.Helper()
	before := gitIn(t, f.raw, "for-each-ref")
	over := trouble()
	_, err := f.update(t, 20*time.Second, refs...)
	over()
	if o := outcome(t, err); o.Result != want || len(o.Landed) != 0 || !strings.Contains(err.Error(), words) {
		t.Errorf("%v: %s, landed %v: %v", refs, o.Result, o.Landed, err)
	}
	if after := gitIn(t, f.raw, "for-each-ref"); after != before {
		t.Errorf("%v: the refs went from\n%s\nto\n%s", refs, before, after)
	}
}
