//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// A delegationEntry is one entry of a lane's chain, read with plain git.
type delegationEntry struct {
	id, op string
	made   time.Time // in whole seconds
	lease.Record
}

// ends reports whether a lease ended with the entry.
func (e delegationEntry) ends() bool { return e.State == lane.Free }

// A delegationChain is what a lane's ref of a repository says, from its first entry on.
type delegationChain struct {
	dir, ref string
	entries  []delegationEntry
}

func delegationChains(t *testing.T, dir string) (chains []delegationChain) {
	t.Helper()
	for ref := range strings.FieldsSeq(gitIn(t, dir, nil, "for-each-ref", "--format=%(refname)", "refs/dos/lane")) {
		c := delegationChain{dir: dir, ref: ref}
		for text := range strings.SplitSeq(gitIn(t, dir, nil, "log", "--reverse", "--format=%H %ct%n%B%x00", ref), "\x00") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			words := strings.Fields(text)
			e := delegationEntry{id: words[0], op: words[4]}
			at, err := strconv.ParseInt(words[1], 10, 64)
			if err == nil {
				err = json.Unmarshal([]byte(text[strings.Index(text, "{"):strings.LastIndex(text, "}")+1]), &e.Record)
			}
			if err != nil {
				t.Fatalf("%s: %v: %s", ref, err, text)
			}
			e.made = time.Unix(at, 0)
			c.entries = append(c.entries, e)
		}
		chains = append(chains, c)
	}
	return chains
}

// A delegationTime is the time in which a ref of the hub was moved to a commit.
type delegationTime struct{ from, to time.Time }

// hubTimes reads when refs of the hub moved, by what they were moved to.
func (r *delegationRace) hubTimes(t *testing.T) map[string]delegationTime {
	t.Helper()
	times := map[string]delegationTime{}
	for _, state := range []string{"committed", "prepared"} {
		files, err := filepath.Glob(filepath.Join(r.times(), state+".*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				f := strings.Fields(line)
				key := f[2] + " " + f[1]
				at, known := times[key]
				switch {
				case state == "committed":
					// The clock of the files may be behind by a tick.
					times[key] = delegationTime{to: info.ModTime().Add(20 * time.Millisecond)}
				case known && info.ModTime().After(at.from) && info.ModTime().Before(at.to): // of several, all but the last came to nothing
					times[key] = delegationTime{info.ModTime(), at.to}
				}
			}
		}
	}
	return times
}

// check holds what the workers were told and what the refs say to each other.
func (r *delegationRace) check(t *testing.T) {
	t.Helper()
	for _, words := range r.odd {
		t.Errorf("no verdict: %s", words)
	}
	r.checkSpans(t)
	all := map[string][]delegationChain{r.hub: delegationChains(t, r.hub)}
	for _, node := range r.nodes {
		all[node.dirs[0]] = delegationChains(t, node.dirs[0])
	}
	for dir, chains := range all {
		for _, c := range chains {
			c.check(t)
		}
		gitIn(t, dir, nil, "fsck", "--strict", "--no-dangling")
	}
	r.checkTold(t, all)
	times := r.hubTimes(t)
	r.checkTrunk(t, all, times)
	history := r.history(t, all, times)
	result, info := porcupine.CheckOperationsVerbose(raceModel, history, 2*time.Minute)
	if result != porcupine.Ok {
		t.Errorf("the leases of all nodes: %s; %s", result, raceWhere(history, info))
	}
	r.note("steps of the model", len(history))
}

func delegationOverlap(a, b string) bool { return raceLanes[a].cells&raceLanes[b].cells != 0 }

// checkSpans is that no two count on lanes that overlap.
func (r *delegationRace) checkSpans(t *testing.T) {
	for i, a := range r.spans {
		for _, b := range r.spans[i+1:] {
			if delegationOverlap(a.lane, b.lane) && a.run != b.run && a.from.Before(b.to) && b.from.Before(a.to) {
				t.Errorf("%s counted on lane %s from %s to %s, and %s on %s from %s to %s", a.run, a.lane, a.from.Format(time.StampMilli),
					a.to.Format(time.StampMilli), b.run, b.lane, b.from.Format(time.StampMilli), b.to.Format(time.StampMilli))
			}
		}
	}
}

// check is that each lease of a chain ended before the next began, and that
// generations grow by one with each.
func (c delegationChain) check(t *testing.T) {
	var was delegationEntry
	held := false
	for i, e := range c.entries {
		admits := e.op == lease.OpAcquire || e.op == lease.OpDelegate
		switch {
		case admits && (held || e.Gen != was.Gen+1):
			t.Errorf("%s of %s: entry %d, %s %s of generation %d over %s of generation %d, which was %s", c.ref, c.dir, i, e.op, e.Nonce, e.Gen, was.Nonce, was.Gen, was.State)
		case !admits && e.op != lease.OpVoid && (e.Nonce != was.Nonce || e.Gen != was.Gen):
			t.Errorf("%s of %s: entry %d, %s of %s under %s", c.ref, c.dir, i, e.op, e.Nonce, was.Nonce)
		}
		was, held = e, !e.ends()
	}
}

// checkTold is that each answer is borne out by an entry, and that no lease was
// given twice.
func (r *delegationRace) checkTold(t *testing.T, all map[string][]delegationChain) {
	count := map[[2]string]int{}
	for _, chains := range all {
		for _, c := range chains {
			for _, e := range c.entries {
				count[[2]string{e.op, e.Nonce}]++
			}
		}
	}
	for _, told := range r.told {
		n := count[[2]string{told.op, told.nonce}]
		if n == 0 || told.op == lease.OpAcquire && n != 1 {
			t.Errorf("%s of %s, nonce %s, was acknowledged and is %d times in the chains", told.op, told.lane, told.nonce, n)
		}
	}
}

// checkTrunk is that every push that was told so is on the trunk, and that each
// commit on it was shipped by the newest lease of its lane.
func (r *delegationRace) checkTrunk(t *testing.T, all map[string][]delegationChain, times map[string]delegationTime) {
	ships := map[string]delegationEntry{}
	for _, c := range all[r.hub] {
		for _, e := range c.entries {
			if e.op == lease.OpShip && e.Ship != nil {
				ships[e.Ship.New] = e
			}
		}
	}
	trunk := strings.Fields(gitIn(t, r.hub, nil, "rev-list", "main"))
	for _, commit := range trunk[:len(trunk)-2] { // all but the rules and the fleet
		e, ok := ships[commit]
		if !ok {
			t.Errorf("%s is on the trunk, and no lease shipped it", commit)
			continue
		}
		at, known := times["refs/heads/main "+commit]
		if !known || at.from.IsZero() {
			t.Errorf("the hub does not know when %s landed", commit)
			continue
		}
		r.checkShip(t, all, e, at)
	}
	for commit := range r.landed {
		if !slices.Contains(trunk, commit) {
			t.Errorf("%s was said to have landed, and is not on the trunk", commit)
		}
	}
}

// checkShip is that a push landed under a lease before anybody was told of a newer
// one on a lane that overlaps, and before a newer one of its node's shipped.
func (r *delegationRace) checkShip(t *testing.T, all map[string][]delegationChain, ship delegationEntry, at delegationTime) {
	nonce := ship.Nonce
	if ship.Ship.Under != nil {
		nonce = ship.Ship.Under.Nonce
	}
	var own delegationEntry
	for _, chains := range all {
		for _, c := range chains {
			for _, e := range c.entries {
				if e.Nonce == nonce && (own.Nonce == "" || own.RunID == "") {
					own = e
				}
			}
		}
	}
	if own.Nonce == "" || own.Under != "" && own.Under != ship.Nonce {
		t.Errorf("%s was shipped by %s, which no node has granted under %s", ship.Ship.New, nonce, ship.Nonce)
	}
	run := own.RunID
	mine := slices.IndexFunc(r.spans, func(s delegationSpan) bool { return s.run == run })
	for _, s := range r.spans {
		counts := s.from.Before(at.from) && at.to.Before(s.to)
		newer := s.lane == own.Lane && s.from.Before(at.from) && (mine < 0 || r.spans[mine].from.Before(s.began))
		if s.run != run && delegationOverlap(s.lane, own.Lane) && (counts || newer) && mine >= 0 {
			t.Errorf("%s, shipped by %s on %s, landed at %s, and %s was told at %s that it has %s", ship.Ship.New, run, own.Lane,
				at.from.Format(time.StampMilli), s.run, s.from.Format(time.StampMilli), s.lane)
		}
	}
}

// history is the leases of all nodes as steps of one admission table: those that
// were told, and what the chains say of the rest. What ended with its node's
// delegation ended when that did, on the hub.
func (r *delegationRace) history(t *testing.T, all map[string][]delegationChain, times map[string]delegationTime) (history []porcupine.Operation) {
	over := map[string]delegationTime{} // by nonce: when a lease of the hub ended
	parked := map[string]string{}       // by nonce: the run that a lease of the hub was parked for
	for _, c := range all[r.hub] {
		for i, e := range c.entries {
			switch {
			case e.op == lease.OpPark:
				parked[e.Nonce] = e.RunID
			case e.ends():
				at, known := times[c.ref+" "+e.id]
				for j := i + 1; !known && j < len(c.entries); j++ { // several entries are one move
					at, known = times[c.ref+" "+c.entries[j].id]
				}
				if !known {
					t.Errorf("the hub does not know when %s of %s happened", e.op, e.Nonce)
				}
				over[e.Nonce] = at
			}
		}
	}
	end := time.Now()
	client := len(r.workers)
	add := func(from, to time.Time, ask raceAsk, told raceTold) {
		client++
		history = append(history, porcupine.Operation{ClientId: client, Call: int64(from.Sub(r.begun)), Input: ask, Return: int64(to.Sub(r.begun)), Output: told})
	}
	answers := map[[2]string]delegationTold{}
	for _, told := range r.told {
		answers[[2]string{told.op, told.nonce}] = told
		if told.op == lease.OpHeartbeat && parked[told.nonce] == "" {
			add(told.from, told.to, raceAsk{verb: "heartbeat", lanes: []string{told.lane}, nonce: told.nonce}, raceTold{outcome: "renewed"})
		}
	}
	began := map[string]time.Time{}
	for _, s := range r.spans {
		if at, known := began[s.run]; !known || s.began.Before(at) {
			began[s.run] = s.began
		}
	}
	for dir, chains := range all {
		for _, c := range chains {
			var nonce string
			for _, e := range c.entries {
				if _, known := raceLanes[e.Lane]; !known {
					continue
				}
				l := []raceLease{{lane: e.Lane, nonce: e.Nonce}}
				switch {
				case (e.op == lease.OpAcquire || e.op == lease.OpReady) && e.State == lane.Held && !e.Delegate:
					nonce = e.Nonce
					told, known := answers[[2]string{lease.OpAcquire, e.Nonce}]
					if known {
						add(minTime(told.from, began[e.RunID]), told.to, raceAsk{verb: "acquire", lanes: []string{e.Lane}}, raceTold{outcome: "acquire", leases: l})
					} else {
						add(e.made, end, raceAsk{verb: "landed"}, raceTold{leases: l})
					}
				case e.ends() && nonce == e.Nonce:
					nonce = ""
					at := delegationTime{e.made, end}
					if dir == r.hub {
						at = over[e.Nonce]
					} else if told, known := answers[[2]string{lease.OpRelease, e.Nonce}]; known && e.op == lease.OpRelease {
						at = delegationTime{told.from, told.to}
					}
					there, known := over[e.Under]
					if e.Under != "" && parked[e.Under] == e.RunID { // it goes on there
						if !known {
							continue
						}
						at = there
					}
					if known {
						at = delegationTime{minTime(at.from, there.from), minTime(at.to, there.to)}
					}
					add(at.from, at.to, raceAsk{verb: "ended"}, raceTold{leases: l})
				}
			}
			// Of what its node lost nobody may have taken note there.
			if last := c.entries[len(c.entries)-1]; nonce != "" && nonce == last.Nonce {
				if at, known := over[last.Under]; known {
					add(at.from, at.to, raceAsk{verb: "ended"}, raceTold{leases: []raceLease{{lane: last.Lane, nonce: nonce}}})
				}
			}
		}
	}
	return history
}

func minTime(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

// allCanBeHad is that another clone gets every lane in the end, when those who have
// parked one have said that they are done.
func (r *delegationRace) allCanBeHad(t *testing.T) {
	for _, w := range r.workers {
		for _, e := range r.parkedBy(t, w) {
			for _, verb := range []string{"unpark", "release"} {
				w.ask(t, 0, "lease", verb, e.Lane, "--run-id", e.RunID)
			}
		}
	}
	fresh := filepath.Join(r.root, "fresh")
	env := r.nodes[0].env
	gitIn(t, r.root, env, "clone", "--quiet", r.hub, fresh)
	verb := func(words ...string) (string, int) {
		p := r.nodes[0].start(t, fresh, append([]string{"lease"}, words...)...)
		out, stderr, _ := p.wait(raceKill{})
		return string(out) + string(stderr), p.cmd.ProcessState.ExitCode()
	}
	for _, names := range [][]string{{"api", "web", "docs", "ops", "tools"}, {"fix-x"}, {"all"}} {
		if out, code := verb(append([]string{"acquire", "--wait", "60s", "--json"}, names...)...); code != 0 {
			t.Errorf("lanes %v are stuck: %s", names, out)
		}
		for _, name := range names {
			if out, code := verb("release", name); code != 0 {
				t.Errorf("lane %s is not released: %s", name, out)
			}
		}
	}
}

// parkedBy lists the parked lanes of a worker, on its node and on the hub.
func (r *delegationRace) parkedBy(t *testing.T, w *delegationWorker) (found []delegationEntry) {
	for _, c := range append(delegationChains(t, r.hub), delegationChains(t, w.node.dirs[0])...) {
		if e := c.entries[len(c.entries)-1]; e.State == lane.Parked && strings.HasPrefix(e.RunID, fmt.Sprintf("run-%d-", w.id)) {
			found = append(found, e)
		}
	}
	return found
}
