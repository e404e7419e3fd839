package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
)

// An act is a part of the demo: a sentence, and what is run to show it.
type act struct {
	title string
	steps []step
}

// A step is one command of one actor. Status is what the demo announces; the
// step fails the demo when it ends with another one.
type step struct {
	actor  string // whose clone and name; "" is the folder with everything in it
	line   string // as typed; words are split at spaces, quotes keep a word together
	status int
	shows  string                // what the table calls it; "" for preparation, which is not in the table
	prints bool                  // show the first line of what it prints
	after  func(st *stage) error // a check beyond the exit status
	before func(st *stage) error
}

func demoActs() []act {
	return []act{{
		title: "A hub, and a clone of it on each of two machines.",
		steps: []step{
			{line: "git init --quiet --bare hub.git"},
			{line: "git clone --quiet hub.git alice"},
			{actor: "alice", line: `git commit --quiet -m "start"`, before: seedTree},
			{actor: "alice", line: "git push --quiet origin HEAD"},
			{actor: "alice", line: "git dos init --remote origin", shows: "the first clone founds the fleet"},
			{actor: "alice", line: "git add dos.toml .gitignore"},
			{actor: "alice", line: `git commit --quiet -m "dos.toml: lanes of this repository"`},
			{actor: "alice", line: "git push --quiet origin HEAD"},
			{line: "git clone --quiet hub.git bob"},
			{actor: "bob", line: "git dos init --remote origin", shows: "the second clone joins it"},
		},
	}, {
		title: "Two workers, each a process of its own, take disjoint lanes and commit.",
		steps: []step{
			{line: workersLine, status: 0, shows: "two workers on disjoint lanes at once"},
		},
	}, {
		title: "A third asks for a lane that is held.",
		steps: []step{
			{actor: "bob", line: "git dos lease acquire --lane api --owner carol", status: 3, shows: "a held lane is refused, its holder named", prints: true, after: wantOutput("node machine-a")},
		},
	}, {
		title: "They ship: trunk and ledger move in one push, or not at all.",
		steps: []step{
			{actor: "alice", line: "git dos push --plan SHOP --phase API1", shows: "alice ships", prints: true},
			{actor: "bob", line: "git dos push", status: 3, shows: "bob is behind, and told so", prints: true},
			{actor: "bob", line: "git pull --quiet --rebase"},
			{actor: "bob", line: "git dos push", shows: "bob ships", prints: true},
			{actor: "alice", line: "git fetch --quiet"},
			{actor: "alice", line: "git dos verify SHOP API1", shows: "what shipped is found in git", prints: true},
			{actor: "alice", line: "git dos verify SHOP WEB1", shows: "from every clone", prints: true},
		},
	}, {
		title: `Bob says "WEB2 is done". It never reached the trunk.`,
		steps: []step{
			{actor: "bob", line: `git commit --quiet --allow-empty -m "SHOP: WEB2 done, all tests pass"`},
			{actor: "bob", line: "git dos verify SHOP WEB2", status: 1, shows: "a false claim is caught", prints: true},
		},
	}, {
		title: "An operator gives alice's lane away. She does not know, and pushes.",
		steps: []step{
			{actor: "bob", line: "git dos lease scavenge --lane api --force --operator oncall", shows: "an operator takes a lane away", prints: true},
			{actor: "bob", line: "git dos lease acquire --lane api --owner carol", shows: "and carol has it", prints: true},
			{actor: "alice", line: "git pull --quiet --rebase"},
			{actor: "alice", line: `git commit --quiet -m "SHOP: API2 faster"`, before: staleWork},
			{actor: "alice", line: "git dos push", status: 3, shows: "the stale holder is fenced, trunk stays put", prints: true, before: noteTrunk, after: fenced},
		},
	}}
}

// demoWorker is one worker: it takes its lane, works and commits.
func demoWorker(c *cli.Context, name string) error {
	w, ok := demoWorkers[name]
	if !ok {
		return usagef("the demo has no worker %q", name)
	}
	st := &stage{c: c, out: c.App.Writer, root: ".."}
	if err := st.run(step{actor: name, line: "git dos lease acquire --lane " + w.lane, shows: "a lane", prints: true}); err != nil {
		return environmentf("%w", err)
	}
	if err := os.WriteFile(w.lane+"/"+w.lane+".txt", []byte(w.text), 0o666); err != nil {
		return environmentf("%w", err)
	}
	for _, line := range []string{"git add " + w.lane, fmt.Sprintf(`git commit --quiet -m "%s"`, w.subject)} {
		if err := st.run(step{actor: name, line: line}); err != nil {
			return environmentf("%w", err)
		}
	}
	if missed := st.shown.Missed; len(missed) > 0 {
		return environmentf("%s", strings.Join(missed, "; "))
	}
	return nil
}

var demoWorkers = map[string]struct{ lane, text, subject string }{
	"alice": {"api", "GET /basket\n", "SHOP: API1 serve the basket"},
	"bob":   {"web", "<h1>Basket</h1>\n", "SHOP: WEB1 show the basket"},
}

func seedTree(st *stage) error {
	for _, dir := range []string{"api", "web"} {
		path := filepath.Join(st.root, "alice", dir)
		if err := os.MkdirAll(path, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(path, "README"), []byte(dir+"\n"), 0o666); err != nil {
			return err
		}
	}
	return st.quiet("alice", "git add .")
}

func staleWork(st *stage) error {
	if err := os.WriteFile(filepath.Join(st.root, "alice", "api", "api.txt"), []byte("GET /basket, faster\n"), 0o666); err != nil {
		return err
	}
	return st.quiet("alice", "git add api")
}

// quiet runs a command that the demo does not show.
func (st *stage) quiet(actor, line string) error {
	out, err := st.command(actor, words(line)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", line, err, out)
	}
	return nil
}

func (st *stage) trunkTip() (string, error) {
	out, err := st.command("", words("git -C hub.git rev-parse refs/heads/main")).Output()
	return strings.TrimSpace(string(out)), err
}

func noteTrunk(st *stage) (err error) {
	st.trunk, err = st.trunkTip()
	return err
}

// fenced checks that the push was stopped by the lease, and by nothing else.
func fenced(st *stage) error {
	if err := wantOutput("fenced main")(st); err != nil {
		return err
	}
	now, err := st.trunkTip()
	if err == nil && now != st.trunk {
		err = errors.New("the trunk moved")
	}
	return err
}

func wantOutput(text string) func(*stage) error {
	return func(st *stage) error {
		if !strings.Contains(st.last, text) {
			return fmt.Errorf("the answer does not say %q", text)
		}
		return nil
	}
}
