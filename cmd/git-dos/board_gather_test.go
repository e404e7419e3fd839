package main

import (
	"testing"

	"github.com/git-dos/git-dos/internal/board"
	"github.com/git-dos/git-dos/refstore"
)

// A record that cannot be read is no free lane.
func TestBoardTakesNoUnreadableRecordForAFreeLane(t *testing.T) {
	for _, payload := range []string{"", "{}", `{"v":99,"lane":"api","state":"free","gen":1}`, `{"v":1,"lane":"web","state":"free","gen":1}`} {
		b := boardBook{}
		if s := b.step("api", refstore.Tip{Entry: refstore.Entry{Gen: 1, Payload: []byte(payload)}}); s.State != board.Unreadable || s.Lane != "api" {
			t.Errorf("%s: %q of %s", payload, s.State, s.Lane)
		}
	}
}
