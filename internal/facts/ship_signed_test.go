package facts

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/ship"
)

func TestASignedShip(t *testing.T) {
	s := newSigning(t)
	ask := func(claim, want string, change ...func(*ShipRequest)) {
		t.Helper()
		s.history.want(claim, want, append(change, func(r *ShipRequest) { r.Floor = ship.Signed })...)
	}
	s.allow("a@x " + s.pub["a"])
	s.commit("rules", "dos.toml", "[verify]\nallowed_signers = \"keys/allowed\"\n")
	stage := func(content string) { s.commit("stage", "api/a.go", content); s.git("reset", "-q", "--soft", "HEAD~1") }

	stage("1")
	s.by("a", "AUTH: AUTH2 add")
	ask("a signed stamp is no signed trailer", "NOT_SHIPPED subject direct")
	stage("2")
	s.by("b", "add\n\nDos-Ship: AUTH/AUTH2")
	ask("nor is a trailer signed by a stranger", "NOT_SHIPPED subject trailer-block")
	s.by("a", "add\n\nDos-Ship: AUTH/AUTH2")
	ask("nor an empty commit", "NOT_SHIPPED signed trailer-block")
	stage("3")
	s.by("a", "add\n\nDos-Ship: AUTH/AUTH2")
	ask("a signed trailer", "SHIPPED signed trailer-block")
	ask("of the unit it names alone", "NOT_SHIPPED", unit("AUTH", "AUTH3"))
	s.git("revert", "--no-edit", "HEAD")
	ask("reverted", "NOT_SHIPPED signed trailer-block")

	s.commit("rules", "dos.toml", "")
	ask("without signers in force nothing is signed", "NOT_SHIPPED subject trailer-block")
}
