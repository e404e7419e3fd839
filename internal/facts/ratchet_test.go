package facts

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

func (h *history) prove(dir string, units ...string) (Proved, error) {
	h.t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		h.t.Fatal(err)
	}
	return Prove(context.Background(), repo, units, ShipScope{Floor: ship.Subject})
}

func TestWorkIsWhatHistoryProves(t *testing.T) {
	h := base(t)
	h.commit("AUTH: AUTH1 x", "api/a.go", "1")
	h.commit("AUTH: AUTH2 says that it is done")
	h.commit("AUTH: AUTH3 x", "api/a.go", "3")
	h.git("revert", "--no-edit", "HEAD")
	p, err := h.prove(h.dir, "AUTH/AUTH3", "AUTH/AUTH1", "AUTH::AUTH1", "auth/AUTH1", "AUTH/AUTH2", "AUTH/AUTH9", "AUTH/AUTH1")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Verified, []string{"AUTH/AUTH1"}) || !slices.Equal(p.Residual, []string{"AUTH/AUTH3", "AUTH/AUTH2", "AUTH/AUTH9"}) {
		t.Errorf("%+v: a unit counts once, however it is named, and not for being claimed", p)
	}
}

func TestWhatCannotBeProvedEitherWayIsNoNumber(t *testing.T) {
	h := base(t)
	h.commit("AUTH: AUTH1 x", "api/a.go", "1")
	h.commit("AUTH: AUTH2 x", "api/a.go", "2")
	h.at(h.dir, "clone", "-q", "--depth", "2", "file://"+h.dir, h.dir+"-shallow")
	if p, err := h.prove(h.dir+"-shallow", "AUTH/AUTH2"); err != nil || len(p.Verified) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	var undecided *UndecidedError
	if p, err := h.prove(h.dir+"-shallow", "AUTH/AUTH2", "AUTH/AUTH1"); !errors.As(err, &undecided) || undecided.Unit != "AUTH/AUTH1" || undecided.Reason == "" {
		t.Errorf("%+v, %v: a history that is cut short tells nothing of what is not in it", p, err)
	}
	for _, bad := range []string{"", "AUTH1", "A::B::C", "AUTH/\x1b"} {
		if _, err := h.prove(h.dir, "AUTH/AUTH1", bad); !errors.As(err, new(*ShipRequestError)) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
