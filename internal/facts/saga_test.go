package facts

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/refstore"
)

// A saga is a made-up history whose ids are known before git has seen it, so
// that a message can name a commit, and one git fast-import makes all of it.
type saga struct {
	made   []deed
	quoted bool // reverts quote the title they take back
}

// A deed is one commit, and what is true of it whatever its text says.
type deed struct {
	id      string
	message string
	parents []int
	files   map[string]string
	ships   []Unit // the units it names, in a form that counts when its diff does
	takes   []take // the commits it takes back
}

// A take is a commit that is taken back; of a merge, all that it added to the
// side named by base.
type take struct{ target, base int }

const rulesOfSagas = "[stamp]\ntrailer_stamp = true\nsummary_bundle_prefixes = [\"rel:\"]\n"

// commit adds a deed that changes the paths of what its first parent has.
func (s *saga) commit(d deed, paths ...string) int {
	d.files = map[string]string{"dos.toml": rulesOfSagas}
	if len(d.parents) > 0 {
		d.files = maps.Clone(s.made[d.parents[0]].files)
	}
	for _, p := range d.parents[min(1, len(d.parents)):] {
		maps.Copy(d.files, s.made[p].files)
	}
	for _, p := range paths {
		d.files[p] = fmt.Sprint(len(s.made))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", treeID(d.files))
	for _, p := range d.parents {
		fmt.Fprintf(&b, "parent %s\n", s.made[p].id)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %[1]s\n\n%s", s.who(len(s.made)), d.message)
	d.id = objectID("commit", b.String())
	s.made = append(s.made, d)
	return len(s.made) - 1
}

// who gives several commits the same second.
func (s *saga) who(n int) string { return fmt.Sprintf("w <w@x> %d +0000", 1700000000+n/3) }

func objectID(kind, body string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(body), body))
	return hex.EncodeToString(sum[:])
}

// treeID is the id of a tree whose files lie at most one directory deep.
func treeID(files map[string]string) string {
	entries, inDir := map[string]string{}, map[string]map[string]string{}
	for path, text := range files {
		if dir, name, ok := strings.Cut(path, "/"); ok {
			if inDir[dir] == nil {
				inDir[dir] = map[string]string{}
			}
			inDir[dir][name] = text
		} else {
			entries[path] = "100644 " + path + "\x00" + unhex(objectID("blob", text))
		}
	}
	for dir, list := range inDir {
		entries[dir+"/"] = "40000 " + dir + "\x00" + unhex(treeID(list))
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		b.WriteString(entries[key])
	}
	return objectID("tree", b.String())
}

func unhex(id string) string { b, _ := hex.DecodeString(id); return string(b) }

// repository makes the saga real.
func (s *saga) repository(t *rapid.T) *refstore.Repo {
	dir, err := os.MkdirTemp("", "saga")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var b bytes.Buffer
	data := func(text string) { fmt.Fprintf(&b, "data %d\n%s\n", len(text), text) }
	for i, d := range s.made {
		fmt.Fprintf(&b, "commit refs/x/%d\nmark :%d\ncommitter %s\n", i, i+1, s.who(i))
		data(d.message)
		for n, p := range d.parents {
			fmt.Fprintf(&b, "%s :%d\n", [...]string{"from", "merge"}[min(n, 1)], p+1)
		}
		b.WriteString("deleteall\n")
		for path, text := range d.files {
			fmt.Fprintf(&b, "M 100644 inline %s\n", path)
			data(text)
		}
	}
	for _, args := range [][]string{{"init", "-q", "--bare", "--template=", "-b", "main", dir}, {"--git-dir=" + dir, "fast-import", "--quiet"}} {
		cmd := exec.Command("git", args...)
		if args[0] != "init" {
			cmd.Stdin = &b
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := repo.RefID(context.Background(), fmt.Sprintf("refs/x/%d", len(s.made)-1)); err != nil || string(got) != s.made[len(s.made)-1].id {
		t.Fatalf("git made %s (%v), want %s", got, err, s.made[len(s.made)-1].id)
	}
	return repo
}

// reach is the set of commits that a tip reaches.
func (s *saga) reach(tip int) map[int]bool {
	seen, queue := map[int]bool{}, []int{tip}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if !seen[n] {
			seen[n] = true
			queue = append(queue, s.made[n].parents...)
		}
	}
	return seen
}

// changed is what a commit changed against its first parent.
func (s *saga) changed(n int) map[string]bool {
	d, before, paths := s.made[n], map[string]string{}, map[string]bool{}
	if len(d.parents) > 0 {
		before = s.made[d.parents[0]].files
	}
	for path, text := range d.files {
		if before[path] != text {
			paths[path] = true
		}
	}
	return paths
}

// undone is the plain definition: some commit that the tip reaches takes n
// back and is not taken back itself. A revert is only taken back by one that
// changes all it changed.
func (s *saga) undone(reach map[int]bool, n int, isRevert bool) bool {
	for r := range reach {
		for _, t := range s.made[r].takes {
			hit := t.target == n
			if len(s.made[t.target].parents) > 1 {
				hit = hit || s.reach(t.target)[n] && !s.reach(t.base)[n]
			}
			if hit && r != n && !(isRevert && !s.covers(r, n)) && !s.undone(reach, r, true) {
				return true
			}
		}
	}
	return false
}

func (s *saga) covers(by, undone int) bool {
	paths := s.changed(by)
	for p := range s.changed(undone) {
		if !paths[p] {
			return false
		}
	}
	return true
}

var minorInSagas = map[string]bool{"VERSION": true, "docs/auth-plan.md": true, "dos.state.yaml": true}

// shipped is what verify should say at the default floor.
func (s *saga) shipped(tip int, u Unit) bool {
	reach := s.reach(tip)
	for n := range reach {
		substantive := false
		for p := range s.changed(n) {
			substantive = substantive || !minorInSagas[p]
		}
		if substantive && slices.Contains(s.made[n].ships, u) && !s.undone(reach, n, false) {
			return true
		}
	}
	return false
}

var unitsOfSagas = []Unit{{"AUTH", "AUTH1"}, {"AUTH", "AUTH2"}, {"WEB", "P1"}, {"x/WEB", "Phase 2"}}

// stampOf names a unit in one of the forms that count. Every subject ends in
// its own number, so that no two titles are alike.
func stampOf(t *rapid.T, s *saga, u Unit) string {
	n := len(s.made)
	forms := []string{
		fmt.Sprintf("%s: %s add %d", u.Plan, u.Phase, n), fmt.Sprintf("%s %s: add %d\n\nprose", strings.ToLower(u.Plan), u.Phase, n),
		fmt.Sprintf("feat: add %d (%s %s)", n, u.Plan, u.Phase), fmt.Sprintf("add %d\n\nprose\n\nDos-Ship: %s/%s\nDos-Lease: api@3", n, u.Plan, u.Phase),
		fmt.Sprintf("\n%s:\n%s add %d\n\nDos-Ship: %[1]s/%[2]s\n", u.Plan, u.Phase, n),
	}
	return rapid.SampledFrom(forms).Draw(t, "form")
}

var noiseOfSagas = []string{
	"fix: typo", "AUTH: AUTH10 other", "AUTH2_draft", "mention AUTH2 in passing", "wip AUTH: AUTH2", "AUTH: AUTH2 reverted, broken",
	"v1.2.3: AUTH1, AUTH2 and P1", "rel: P1\n\n- AUTH2", "AUTH3: x\n\nAUTH: AUTH2 in a body", "x\n\nThis reverts commit 0123456789ab.",
	"fixup! AUTH: AUTH1 x", "x\u2028AUTH: AUTH1 y", "caf\xe9 \xff", "", "(WEB P1) x", "docs: list\n\nDos-Ship: AUTH/AUTH2\n\nno block",
}

var pathsOfSagas = []string{"api/a", "api/b", "web/c", "VERSION", "docs/auth-plan.md", "dos.state.yaml"}

func drawPaths(t *rapid.T) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(pathsOfSagas), 0, 3, rapid.ID[string]).Draw(t, "paths")
}

func title(d deed) string {
	return strings.Join(strings.Fields(strings.SplitN(strings.TrimLeft(d.message, "\n"), "\n\n", 2)[0]), " ")
}

// revertTitle is the title that git gives to the revert of a title.
func revertTitle(title string) string {
	if rest, ok := strings.CutPrefix(title, `Revert "`); ok && !strings.HasPrefix(rest, `Revert "`) {
		return `Reapply "` + rest
	}
	return `Revert "` + title + `"`
}

// revert takes a target back in one of git's ways of saying so; a merge back to
// one of its sides.
func (s *saga) revert(t *rapid.T, tip, target, side int, paths ...string) int {
	d := s.made[target]
	id := d.id
	if rapid.Bool().Draw(t, "short") {
		id = id[:12]
	}
	back := take{target: target}
	text := fmt.Sprintf("%s\n\nThis reverts commit %s.", revertTitle(title(d)), id)
	if !s.quoted && rapid.Bool().Draw(t, "reference") {
		text = fmt.Sprintf("back out %d\n\nThis reverts commit %s (%s, 2023-11-14).\n", len(s.made), id, title(d))
	}
	if len(d.parents) > 1 {
		back.base = d.parents[side]
		text = strings.TrimRight(text, ".\n") + ", reversing\nchanges made to " + s.made[back.base].id + ".\n"
	}
	return s.commit(deed{message: text, parents: []int{tip}, takes: []take{back}}, paths...)
}

// drawSaga makes up a history of several branches.
func drawSaga(t *rapid.T) *saga {
	s := &saga{}
	tips := []int{s.commit(deed{message: "root"}, "api/a", "api/b", "web/c")}
	for range rapid.IntRange(3, 18).Draw(t, "commits") {
		b := rapid.IntRange(0, len(tips)-1).Draw(t, "branch")
		tip := tips[b]
		switch rapid.SampledFrom([]string{"noise", "stamp", "stamp", "revert", "revert", "revert", "branch", "merge", "squash", "root"}).Draw(t, "kind") {
		case "noise":
			tips[b] = s.commit(deed{message: rapid.SampledFrom(noiseOfSagas).Draw(t, "noise"), parents: []int{tip}}, drawPaths(t)...)
		case "stamp":
			u := rapid.SampledFrom(unitsOfSagas).Draw(t, "unit")
			tips[b] = s.commit(deed{message: stampOf(t, s, u), parents: []int{tip}, ships: []Unit{u}}, drawPaths(t)...)
		case "revert":
			target := rapid.IntRange(0, len(s.made)-1).Draw(t, "target")
			paths := slices.Sorted(maps.Keys(s.changed(target)))
			if rapid.IntRange(0, 3).Draw(t, "part") == 0 {
				paths = drawPaths(t)
			}
			side := rapid.IntRange(0, max(0, len(s.made[target].parents)-1)).Draw(t, "side")
			tips[b] = s.revert(t, tip, target, side, slices.DeleteFunc(paths, func(p string) bool { return p == "dos.toml" })...)
		case "branch":
			tips = append(tips, rapid.IntRange(0, len(s.made)-1).Draw(t, "from"))
		case "merge":
			other := rapid.SampledFrom(tips).Draw(t, "other")
			if !s.reach(tip)[other] {
				tips[b] = s.commit(deed{message: fmt.Sprintf("Merge branch %d", len(s.made)), parents: []int{tip, other}}, drawPaths(t)...)
			}
		case "squash":
			u := rapid.SampledFrom(unitsOfSagas[:3]).Draw(t, "unit")
			n := len(s.made)
			line := fmt.Sprintf("%s: %s do %d", u.Plan, u.Phase, n)
			reverts := rapid.IntRange(0, 2).Draw(t, "reverts")
			d := deed{message: line + "\n\n* " + line + "\n", parents: []int{tip}}
			for i := range reverts {
				line = revertTitle(line)
				d.message += fmt.Sprintf("\n* %s\n\nThis reverts commit %s.\n", line, strings.Repeat(strconv.Itoa(i+1), 40))
			}
			if reverts != 1 {
				d.ships = []Unit{u}
			}
			tips[b] = s.commit(d, drawPaths(t)...)
		case "root":
			tips = append(tips, s.commit(deed{message: "another root"}, "web/c"))
		}
	}
	return s
}

// unrelated adds a commit that is none of the units' business: noise, a revert
// of noise, other plans, a merge of another root.
func (s *saga) unrelated(t *rapid.T, tip int) int {
	d := deed{message: fmt.Sprintf("fix: typo %d", len(s.made)), parents: []int{tip}}
	switch rapid.SampledFrom([]string{"noise", "revert", "plan", "merge"}).Draw(t, "unrelated") {
	case "revert":
		noise := s.commit(d, "api/a")
		d = deed{message: fmt.Sprintf("%s\n\nThis reverts commit %s.\n", revertTitle(title(d)), s.made[noise].id), parents: []int{noise}}
	case "plan":
		d.message = fmt.Sprintf("OTHER: AUTH7 add %d\n\nDos-Ship: OTHER/AUTH7\nDos-Ship: AUTH/AUTH20", len(s.made))
	case "merge":
		d.parents = append(d.parents, s.commit(deed{message: fmt.Sprintf("a root of its own %d", len(s.made))}, "web/c"))
	}
	return s.commit(d, drawPaths(t)...)
}

// String lists the saga for people.
func (s *saga) String() string {
	var b strings.Builder
	for i, d := range s.made {
		fmt.Fprintf(&b, "%d %.12s %v %v %q\n", i, d.id, d.parents, slices.Sorted(maps.Keys(s.changed(i))), d.message)
	}
	return b.String()
}
