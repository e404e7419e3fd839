package admit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// A trunk commit that another worker fetches while this one asks about it is skew, as
// one that is not here is, and no failure.
func TestTrunkThatComesMeanwhileIsNoError(t *testing.T) {
	f := newFleet(t)
	ours, other := f.clone(t), f.clone(t)
	theirs := commit(t, other, "rules", "api/b", "2\n")
	gitIn(t, other, "push", "--quiet", "origin", "HEAD:main")
	d := open(t, ours)

	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin, asked := t.TempDir(), filepath.Join(t.TempDir(), "asked")
	script(t, filepath.Join(bin, "git"), fmt.Sprintf(`case " $* " in
*" merge-base "*)
	test -e '%[1]s' || { : >'%[1]s'; '%[2]s' "$@"; code=$?; '%[2]s' -C '%[3]s' fetch --quiet origin; exit $code; } ;;
esac
exec '%[2]s' "$@"
`, asked, real, ours))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))

	var skew *skewError
	if err := d.checkPolicy(t.Context(), string(theirs)); !errors.As(err, &skew) {
		t.Errorf("got %v, want skew", err)
	}
	if _, err := os.Stat(asked); err != nil || gitIn(t, ours, "rev-parse", "origin/main") != string(theirs) {
		t.Error("nothing came meanwhile")
	}
	gitIn(t, ours, "merge", "--quiet", "--ff-only", "origin/main")
	d.Rules.Trunk.ID = refstore.OID(theirs)
	if err := d.checkPolicy(t.Context(), string(theirs)); err != nil {
		t.Errorf("the same trunk: %v", err)
	}
}
