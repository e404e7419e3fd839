//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// A shBlock is what becomes of one sh block of a document: it is run after a stage
// that has what its reader has by then, or another test runs it.
type shBlock struct{ stage, elsewhere string }

// What a reader has: a repository with a folder of its own to work on, committed.
const (
	shRepo = `git init -q repo
cd repo
mkdir api
echo basket >api/basket
git add .
git commit -q -m base
`
	shRules = `git add .
git commit -q -m rules
`
	shInit = shRepo + "git dos init -q\n" + shRules
	shHub  = "git init -q --bare hub.git\n" + shRepo + `git remote add origin ../hub.git
git push -q -u origin main
`
	shFleet = shHub + "git dos init -q --remote origin\n" + shRules + `git push -q
git dos lease acquire -q --lane api
git dos sync -q
`
	// The work in the worktree is a hook's, and CMD is a worker that commits and pushes.
	shWork = shInit + `cat >.git/hooks/post-checkout <<'END'
#!/bin/sh
echo apples >>api/basket
END
cat >"$HOME/CMD" <<'END'
#!/bin/sh
set -e
test "$1" = ARG...
echo pears >>api/basket
git dos commit -q --lane api -m "SHOP: API2 pears" api
git dos push -q
END
chmod 755 .git/hooks/post-checkout "$HOME/CMD"
`
	shShipped = shInit + `echo apples >>api/basket
git commit -q -a -m 'AUTH: AUTH2 log out'
`
)

// shBlocks are the sh blocks of the documents, in their order. TestTextsForAgentsNameRealVerbs
// holds those of the texts for agents.
var shBlocks = map[string][]shBlock{
	"README.md": {
		{elsewhere: "TestREADMEShowsTheDemo"}, {stage: shRepo}, {stage: shWork}, {stage: shHub},
		{elsewhere: "go test, which is running"},
	},
	"docs/agent-hooks.md":         {{stage: shInit}},
	"docs/agents.md":              {{stage: shInit}},
	"docs/limits.md":              {{stage: shFleet}, {stage: shFleet}, {stage: shRepo}},
	"docs/packaging.md":           {{elsewhere: "TestPackagesAreReproducibleAndInstall"}, {elsewhere: "TestPackagesAreReproducibleAndInstall"}},
	"docs/ships.md":               {{stage: shShipped}, {elsewhere: "TestShipsDocumentSigns"}, {elsewhere: "TestShipsDocumentSigns"}},
	"docs/tutorial-first-hour.md": slices.Repeat([]shBlock{{elsewhere: "TestFirstHourIsItsScript"}}, 7),
}

var shFence = regexp.MustCompile("(?s)\n```(?:sh|bash|shell)\n(.*?)\n```\n")

// A sh block has no output to compare with, but every line of it ends with 0.
func TestShBlocksOfTheDocumentsRun(t *testing.T) {
	seen := 0
	eachDocument(t, func(name, text string) {
		if strings.HasPrefix(name, "internal/agentset/text/") {
			return
		}
		found := shFence.FindAllStringSubmatch(text, -1)
		if len(found) != len(shBlocks[name]) {
			t.Errorf("%s has %d sh blocks, and the test knows what to do with %d", name, len(found), len(shBlocks[name]))
			return
		}
		for i, b := range shBlocks[name] {
			seen++
			if b.stage != "" {
				playSh(t, name, b.stage, found[i][1])
			}
		}
	})
	if seen < 20 {
		t.Errorf("%d sh blocks seen: the test looks in the wrong place", seen)
	}
}

// playSh runs a block below its stage.
func playSh(t *testing.T, name, stage, block string) {
	t.Helper()
	env := testscript.Env{WorkDir: t.TempDir()}
	if err := isolate(&env); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(env.WorkDir, ".home")
	env.Vars = append(env.Vars, "PATH="+os.Getenv("PATH")+string(os.PathListSeparator)+home, "TMPDIR="+env.WorkDir)
	folder := filepath.Join(env.WorkDir, "work")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-e", "-c", stage+block)
	cmd.Dir, cmd.Env, cmd.WaitDelay = folder, env.Vars, 5*time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v of\n%s\nwhich says\n%s", name, err, block, out)
	}
}
