package main

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// The checker of the race must be able to fail: histories that no admission
// table explains, each beside the nearest one that it does.
func TestRaceModelTellsHistoriesApart(t *testing.T) {
	got := func(lane, nonce string) raceTold {
		return raceTold{outcome: "acquire", leases: []raceLease{{lane: lane, nonce: nonce}}}
	}
	op := func(from, to int64, ask raceAsk, told raceTold) porcupine.Operation {
		return porcupine.Operation{Input: ask, Call: from, Output: told, Return: to}
	}
	ask := func(lanes ...string) raceAsk { return raceAsk{verb: "acquire", lanes: lanes} }
	keep := func(verb, lane, nonce string) raceAsk {
		return raceAsk{verb: verb, lanes: []string{lane}, nonce: nonce}
	}
	unit := func(lane, unit string) raceAsk { return raceAsk{verb: "acquire", lanes: []string{lane}, unit: unit} }
	seat := func(lane, seat string) raceAsk { return raceAsk{verb: "acquire", lanes: []string{lane}, seat: seat} }
	force := raceAsk{verb: "acquire", lanes: []string{"api"}, force: true}
	refused := func(class, conflict string) raceTold {
		return raceTold{outcome: "refuse", class: class, conflict: conflict}
	}
	table := func(leases ...raceLease) raceTold { return raceTold{leases: leases} }
	type ops = []porcupine.Operation
	for _, tt := range []struct {
		claim string
		legal bool
		ops   ops
	}{
		{"one lane, two grants", false, ops{op(1, 4, ask("api"), got("api", "a")), op(2, 3, ask("api"), got("api", "b"))}},
		{"one lane, one after the other", true, ops{op(1, 4, ask("api"), got("api", "a")), op(5, 6, keep("release", "api", "a"), raceTold{outcome: "released"}), op(5, 9, ask("api"), got("api", "b"))}},
		{"a grant while the release has not begun", false, ops{op(1, 4, ask("api"), got("api", "a")), op(5, 6, ask("api"), got("api", "b")), op(7, 9, keep("release", "api", "a"), raceTold{outcome: "released"})}},
		{"two lanes with a file in common", false, ops{op(1, 2, ask("api"), got("api", "a")), op(3, 4, ask("fix-x"), got("fix-x", "b"))}},
		{"two lanes apart", true, ops{op(1, 4, ask("book"), got("book", "a")), op(2, 3, ask("fix-x"), got("fix-x", "b"))}},
		{"beside an exclusive lane", false, ops{op(1, 4, ask("all"), got("all", "a")), op(2, 3, ask("web"), got("web", "b"))}},
		{"one unit, two lanes", false, ops{op(1, 4, unit("api", "P/1"), got("api", "a")), op(2, 3, unit("web", "P/1"), got("web", "b"))}},
		{"two units", true, ops{op(1, 4, unit("api", "P/1"), got("api", "a")), op(2, 3, unit("web", "P/2"), got("web", "b"))}},
		{"one seat, two lanes", false, ops{op(1, 4, seat("api", "s"), got("api", "a")), op(2, 3, seat("web", "s"), got("web", "b"))}},
		{"more of a class than there may be", false, ops{op(1, 2, ask("book"), got("book", "a")), op(1, 2, ask("lib-1"), got("lib-1", "b")), op(1, 2, ask("else"), got("else", "c")), op(1, 2, ask("fix-x"), got("fix-x", "d"))}},
		{"more of a class by force", true, ops{op(1, 2, ask("book"), got("book", "a")), op(1, 2, ask("lib-1"), got("lib-1", "b")), op(1, 2, ask("else"), got("else", "c")), op(1, 2, raceAsk{verb: "acquire", lanes: []string{"fix-x"}, force: true}, got("fix-x", "d"))}},
		{"a refusal for nothing", false, ops{op(1, 2, ask("api"), refused("SAME_LANE_HELD", "api"))}},
		{"a refusal for one who came later", false, ops{op(1, 2, ask("api"), refused("SAME_LANE_HELD", "api")), op(3, 4, ask("api"), got("api", "a"))}},
		{"a refusal for one who came meanwhile", true, ops{op(1, 9, ask("api"), refused("SAME_LANE_HELD", "api")), op(3, 4, ask("api"), got("api", "a"))}},
		{"a refusal that names a lane which is free", false, ops{op(1, 2, ask("api"), got("api", "a")), op(3, 4, ask("fix-x"), refused("COLLISION", "docs"))}},
		{"no lane to pick though one is free", false, ops{op(1, 2, ask("api"), got("api", "a")), op(3, 4, ask(), refused("AUTOPICK_NONE", ""))}},
		{"a unit refused that nobody has", false, ops{op(1, 2, ask("api"), got("api", "a")), op(3, 4, unit("web", "P/1"), refused("UNIT_CLAIMED", ""))}},
		{"a part of several lanes", false, ops{op(1, 2, ask("api", "web"), got("api", "a"))}},
		{"a lost lease that was not", false, ops{op(1, 2, ask("api"), got("api", "a")), op(3, 4, keep("heartbeat", "api", "a"), raceTold{outcome: "lost"})}},
		{"renewed after it was taken", false, ops{op(1, 2, ask("api"), got("api", "a")), op(3, 4, keep("scavenge", "api", ""), raceTold{outcome: "scavenged", leases: []raceLease{{lane: "api", nonce: "a"}}}), op(5, 6, keep("heartbeat", "api", "a"), raceTold{outcome: "renewed"})}},
		{"force that says whom it ended", true, ops{op(1, 2, ask("fix-x"), got("fix-x", "a")), op(3, 4, force, raceTold{outcome: "acquire", leases: []raceLease{{lane: "api", nonce: "b"}}, taken: []raceLease{{lane: "fix-x", nonce: "a"}}})}},
		{"force that does not", false, ops{op(1, 2, ask("fix-x"), got("fix-x", "a")), op(3, 4, force, got("api", "b"))}},
		{"a killed process that landed", true, ops{op(1, 9, raceAsk{verb: "landed"}, table(raceLease{lane: "api", nonce: "a"})), op(3, 4, ask("api"), refused("SAME_LANE_HELD", "api"))}},
		{"a killed process that landed on a held lane", false, ops{op(1, 2, ask("api"), got("api", "b")), op(3, 9, raceAsk{verb: "landed"}, table(raceLease{lane: "api", nonce: "a"}))}},
		{"a killed process that landed with a unit", false, ops{op(1, 2, raceAsk{verb: "landed"}, table(raceLease{lane: "api", nonce: "a", unit: "P/1"})), op(3, 4, unit("web", "P/1"), got("web", "b"))}},
		{"a table that lost a lease", false, ops{op(1, 2, ask("api"), got("api", "a")), op(3, 4, raceAsk{verb: "look"}, table())}},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			if got := porcupine.CheckOperations(raceModel, tt.ops); got != tt.legal {
				t.Errorf("explained: %v, want %v", got, tt.legal)
			}
		})
	}
}
