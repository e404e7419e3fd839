package facts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

const (
	no      = "NOT_SHIPPED"
	noStamp = "NOT_SHIPPED subject direct"
	yes     = "SHIPPED subject direct"
)

func floor(w ship.Witness) func(*ShipRequest) { return func(r *ShipRequest) { r.Floor = w } }

func planDoc(path string) func(*ShipRequest) { return func(r *ShipRequest) { r.PlanDoc = path } }

// pile adds a commit under each message, byte by byte as it is, each with one
// changed file, to the branch main. It returns the last.
func (h *history) pile(messages ...string) string {
	h.t.Helper()
	var in strings.Builder
	for i, m := range messages {
		h.tick++
		from := ""
		if i == 0 {
			from = "from refs/heads/main^0\n"
		}
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter w <w@x> %d +0000\ndata %d\n%s\n%sM 100644 inline api/a.go\ndata <<.\n%d\n.\n\n", 1700000000+h.tick, len(m), m, from, h.tick)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = h.dir, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	h.git("reset", "-q", "--hard")
	return h.git("rev-parse", "HEAD")
}

// subjects makes a commit of each subject, in which {} stands for a phase of its
// own, and asks for all of these phases.
func (h *history) subjects(plan, want string, list ...string) {
	h.t.Helper()
	var messages []string
	var units []Unit
	for _, s := range list {
		phase := fmt.Sprintf("%s%d", plan, 100*h.tick+len(units)+11)
		units = append(units, Unit{plan, phase})
		messages = append(messages, strings.ReplaceAll(s, "{}", phase))
	}
	h.pile(messages...)
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	answers, err := Ships(context.Background(), repo, units, ShipScope{})
	if err != nil {
		h.t.Fatal(err)
	}
	for i, ev := range answers {
		v := ship.Decide(ev)
		if got := strings.TrimSpace(fmt.Sprintf("%s %s %s", v.Outcome, v.Witness, v.Rung)); got != want {
			h.t.Errorf("subject %q: got %q (%s), want %q", list[i], got, v.Reason, want)
		}
	}
}

// Each known way of making an older tool say a ship that was none, or miss one
// that was, is refused here, next to its honest twin that is accepted.
func TestForgeriesAndTheirHonestTwins(t *testing.T) {
	for name, story := range map[string]func(*testing.T, *history){
		"A1 an empty commit with a stamp": func(t *testing.T, h *history) {
			h.commit(stamp)
			h.want("nothing changed", noStamp)
			h.commit(stamp, "api/a.go", "2")
			h.want("something did", yes)
		},
		"A2 a reverted ship": func(t *testing.T, h *history) {
			h.commit(stamp, "api/a.go", "2")
			h.want("before the revert", yes)
			h.git("revert", "--no-edit", "HEAD")
			h.want("after it", noStamp)
			h.git("revert", "--no-edit", "HEAD")
			h.want("applied again", yes)
		},
		"A3 a subject alone": func(t *testing.T, h *history) {
			h.commit("rules", "dos.toml", "[lanes]\nconcurrent = [\"api\"]\n[lanes.trees]\napi = [\"api/**\"]\n[plans]\nAUTH = \"api\"\n")
			h.commit(stamp, "README", "2")
			h.want("outside the lane's tree", noStamp)
			h.commit(stamp, "api/a.go", "2")
			h.want("inside it", "SHIPPED subject-in-tree direct")
			h.want("below a raised floor", "NOT_SHIPPED subject-in-tree direct", floor(ship.Trailer))
			h.commit("add\n\nDos-Ship: AUTH/AUTH2", "api/a.go", "3")
			h.want("a trailer is not", "SHIPPED trailer trailer-block", floor(ship.Trailer))
			h.commit("v1.2.3: AUTH3", "api/a.go", "4")
			h.want("a mention decides nothing", "NOT_SHIPPED mention release-prefix", unit("AUTH", "AUTH3"))
			h.want("unless it is asked for", "SHIPPED mention release-prefix", unit("AUTH", "AUTH3"), floor(ship.Mention))
		},
		"A4 a glued form that leaves the plan out": func(t *testing.T, h *history) {
			h.commit("fix: typo", "api/a.go", "2")
			h.commit("Phase 2: other", "api/a.go", "3")
			h.commit("P3: other", "api/a.go", "4")
			h.want("a type is no phase", no, unit("PAYMENTS", "fix"))
			h.want("any plan's phase", no, unit("PAYMENTS", "Phase 2"))
			h.want("a phase of no plan", no, unit("cache", "P3"))
			h.commit("cacheP3: add", "api/a.go", "5")
			h.commit("AUTH2: add", "api/a.go", "6")
			h.want("the plan in the token", yes, unit("cache", "P3"))
			h.want("the plan in the phase", yes)
		},
		"A5 a separator that splits a record": func(t *testing.T, h *history) {
			var list []string
			for _, sep := range []string{"\u2028", "\u2029", "\v", "\f", "\u0085", "\x1c", "\x1d", "\x1e", "\r", "\x00"} {
				list = append(list, "x"+sep+strings.Repeat("d", 40)+" AUTH: AUTH2\n--END--\n"+strings.Repeat("d", 40)+" AUTH: AUTH2\n")
			}
			h.pile(append(list, "x\n\n--END--\n"+strings.Repeat("d", 40)+"\nAUTH: AUTH2")...)
			h.want("behind a separator or the end of a body", no)
			id := h.pile("AUTH: AUTH2\u2028" + strings.Repeat("d", 40) + "\n")
			if v := h.want("in front of all", yes); v.Sha != id {
				t.Errorf("found at %s, want %s", v.Sha, id)
			}
		},
		"A6 a registry in the work tree": func(t *testing.T, h *history) {
			row := "phases:\n  - {plan: AUTH, phase: AUTH2, status: done, sha: " + h.git("rev-parse", "HEAD") + "}\n"
			h.commit("rules", "dos.toml", "[paths]\nexecution_state = \"dos.state.yaml\"\n")
			if err := os.WriteFile(filepath.Join(h.dir, "dos.state.yaml"), []byte(row), 0o644); err != nil {
				t.Fatal(err)
			}
			h.want("uncommitted", no)
			h.commit("state: AUTH2 done", "dos.state.yaml", row)
			h.want("committed", no)
			done := h.commit("other", "api/a.go", "2")
			h.git("checkout", "-q", "-b", "w")
			away := h.commit("other", "api/a.go", "3")
			h.git("checkout", "-q", "main")
			entry := ship.LedgerEntry{ID: "e", Lane: "api", Gen: 1, Plan: "AUTH", Phase: "AUTH2", Commit: away}
			h.want("an entry for a commit that the trunk lacks", no, entries(entry))
			entry.Commit = done
			h.want("an entry for one it has", "SHIPPED subject ledger", entries(entry))
		},
		"A7 a commit of plan files": func(t *testing.T, h *history) {
			h.commit(stamp, "docs/auth-plan.md", "AUTH2 SHIPPED\n", "VERSION", "2\n", "dos.state.yaml", "done\n")
			h.want("undeclared", noStamp)
			h.commit("rules", "dos.toml", "[ship]\nplan_paths = [\"plans/**\"]\n")
			h.want("a document that is declared to be the work", yes)
		},
		"A8 a commit older than its row": func(t *testing.T, h *history) {
			const doc = "docs/auth-plan.md"
			row := "### AUTH2\n\nTouches api/x.go and api/y.go.\n"
			h.commit("import", "api/x.go", "1", "api/y.go", "1", doc, "### AUTH1\n")
			if err := os.WriteFile(filepath.Join(h.dir, doc), []byte(row), 0o644); err != nil {
				t.Fatal(err)
			}
			h.want("a row in the work tree", no, planDoc(doc))
			h.commit("plan it", doc, row)
			h.want("the import", no, planDoc(doc))
			h.commit("refactor", "api/x.go", "2", "api/y.go", "2")
			h.want("without the document", no)
			h.want("the work that followed", "SHIPPED subject file-path", planDoc(doc))
		},
		"A9 replacements, grafts and a cut history": func(t *testing.T, h *history) {
			tip := h.commit("x", "api/a.go", "2")
			forged := h.commit(stamp, "api/a.go", "3")
			h.git("reset", "-q", "--hard", tip)
			h.git("replace", tip, forged)
			h.want("a replaced tip", no)
			h.git("replace", "-d", tip)
			if err := os.WriteFile(filepath.Join(h.dir, ".git", "info", "grafts"), []byte(tip+" "+forged+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			h.want("a grafted parent", no)
			h.git("reset", "-q", "--hard", forged)
			h.want("the real one", yes)
			clone := filepath.Join(t.TempDir(), "clone")
			h.git("clone", "-q", "--depth=1", "file://"+h.dir, clone)
			if v := h.wantIn(clone, "the boundary", "INDETERMINATE subject direct"); !strings.Contains(v.Reason, "--unshallow") {
				t.Errorf("the reason does not help: %s", v.Reason)
			}
		},
		"A10 negated and unfinished text": func(t *testing.T, h *history) {
			h.subjects("AUTH", no, "AUTH: {} reverted, broken", "drop {}", "AUTH: {} is still open", "revert: AUTH: {} add", "WIP AUTH: {} add", "draft: AUTH: {} add",
				"AUTH: {} wip", "AUTH: {} todo", "AUTH: {} partial", "todo AUTH: {}", "Revert \"AUTH: {} add\"", "AUTH: {} not done", "fixup! AUTH: {} add")
			h.subjects("AUTH", yes, "AUTH: {} add", "AUTH: {} drop the old table", "AUTH: {}: partial refunds", "AUTH: {} open the port")
			h.commit("rules", "dos.toml", "[stamp]\ntrailer_stamp = true\n")
			h.subjects("AUTH", no, "wip: add (AUTH {})", "Draft: add (AUTH {})", "todo: add (AUTH {})", "partial: add (AUTH {})", "[WIP] add (AUTH {})", "add, wip (AUTH {})",
				"revert: add (AUTH {})", "squash! add (AUTH {})", "amend! add (AUTH {})", "Revert \"add (AUTH {})\"", "drop (AUTH {}) now", "add (AUTH {} wip)")
			h.subjects("AUTH", "SHIPPED subject trailer", "feat: add (AUTH {})", "fix: draft a reply (AUTH {})", "api: todo list, closes #3 (AUTH: {} closes #3)")
		},
		"A11 guesses by parts of words": func(t *testing.T, h *history) {
			h.commit("docs/HYG: tidy the catalog", "api/a.go", "2")
			h.commit("RS: RS4 port it over", "api/a.go", "3")
			low := floor(ship.Mention)
			h.want("a slug, not opted in", no, unit("HYG", "tidy-the-catalog"), low)
			h.want("a part, not opted in", no, unit("RS", "RS4-port"), low)
			h.commit("rules", "dos.toml", "[stamp]\nsummary_bundle_prefixes = [\"docs/HYG:\"]\nsub_phase_parent_fallback = true\n")
			h.want("a slug of one letter", no, unit("HYG", "a"), low)
			h.want("a piece of a word", no, unit("HYG", "cat"), low)
			h.want("a piece of a part", no, unit("RS", "RS4-por"), low)
			h.want("whole words, opted in", "SHIPPED mention hyg-slug", unit("HYG", "tidy-the-catalog"), low)
			h.want("a whole part, opted in", "SHIPPED mention sub-phase-parent", unit("RS", "RS4-port"), low)
			h.want("and no more than a mention", "NOT_SHIPPED mention sub-phase-parent", unit("RS", "RS4-port"))
		},
		"B12 a later claim that falls short": func(t *testing.T, h *history) {
			h.commit("AUTH: AUTH2 cut", "VERSION", "1\n")
			h.want("a release cut alone", noStamp)
			id := h.commit(stamp, "api/a.go", "2")
			h.commit(stamp, "VERSION", "2\n")
			h.git("revert", "--no-edit", h.commit(stamp, "api/b.go", "2"))
			if v := h.want("beside a ship", yes); v.Sha != id {
				t.Errorf("found at %s, want %s", v.Sha, id)
			}
		},
		"B13 release files by name alone": func(t *testing.T, h *history) {
			for i, path := range []string{"pyproject.toml", "VERSION", "version.txt", "CHANGELOG.md", "docs/releases/2.md"} {
				h.commit(fmt.Sprintf("AUTH: AUTH%d cut", 20+i), path, "2\n")
				h.want(path+" of the release", noStamp, unit("AUTH", fmt.Sprintf("AUTH%d", 20+i)))
			}
			for i, path := range []string{"api/__init__.py", "api/pyproject.toml", "api/VERSION", "__init__.py", "docs/CHANGELOG.md"} {
				h.commit(fmt.Sprintf("AUTH: AUTH%d add", 30+i), path, "2\n")
				h.want(path+" of the work", yes, unit("AUTH", fmt.Sprintf("AUTH%d", 30+i)))
			}
		},
		"B14 token boundaries": func(t *testing.T, h *history) {
			h.subjects("AUTH", no, "AUTH: {}_draft", "AUTH: {}' add", "AUTH: {}-port", "AUTH: {}.1 add", "AUTH: {}0 add", "AUTH: x{} add", "AUTH: {}\u2019s", "AUTH: {}\u00e9", "AUTH: {}"+strings.Repeat(".", 300))
			h.subjects("AUTH", yes, "AUTH: {}.", "AUTH: {}, add", "AUTH: {}", "AUTH: {}/x", "auth {}!")
			h.commit("MG: MG3' add", "api/a.go", "x")
			h.want("a prime is another phase", no, unit("MG", "MG3"))
			h.want("and its own", yes, unit("MG", "MG3prime"))
		},
		"B15 lists and ranges": func(t *testing.T, h *history) {
			h.commit("AUTH: AUTH1, AUTH2", "api/a.go", "2")
			h.commit("AUTH: A1-A3\n\nDos-Ship: AUTH/A1-A3\nDos-Ship: AUTH/A1, AUTH/A2", "api/a.go", "3")
			h.want("the first of a list", yes, unit("AUTH", "AUTH1"))
			h.want("the second of a list", no)
			for _, p := range []string{"A1", "A2", "A3"} {
				h.want("a range and one trailer for two", no, unit("AUTH", p))
			}
			h.commit("add\n\nDos-Ship: AUTH/A1\nDos-Ship: AUTH/A3", "api/a.go", "4")
			h.want("a trailer each, the first", "SHIPPED subject trailer-block", unit("AUTH", "A1"))
			h.want("a trailer each, the second", "SHIPPED subject trailer-block", unit("AUTH", "A3"))
			h.want("what lies between", no, unit("AUTH", "A2"))
		},
		"B16 windows": func(t *testing.T, h *history) {
			id := h.commit(stamp, "api/a.go", "2")
			h.commit("v0.0.1: cut\n\n- AUTH1 is in\n", "api/a.go", "3")
			var later []string
			for i := range 4200 {
				later = append(later, "x")
				if i%50 == 0 {
					later[i] = fmt.Sprintf("v1.%d.0: cut\n\n- more", i)
				}
			}
			h.pile(later...)
			if v := h.want("a stamp below 4200 commits, 84 of them on releases", yes); v.Sha != id {
				t.Errorf("found at %s, want %s", v.Sha, id)
			}
			h.want("a body below 84 bodies", "SHIPPED mention body-mention", unit("AUTH", "AUTH1"), floor(ship.Mention))
			h.want("what never was", no, unit("AUTH", "AUTH3"), floor(ship.Mention))
		},
		"B17 settings for people": func(t *testing.T, h *history) {
			for _, kv := range []string{"color.ui=always", "color.diff=always", "log.showSignature=true", "log.follow=true", "log.date=relative", "format.pretty=%x00%s", "log.decorate=full",
				"core.abbrev=4", "core.quotePath=true", "i18n.logOutputEncoding=ISO-8859-1", "diff.renames=copies", "diff.noprefix=true", "diff.relative=true", "diff.ignoreSubmodules=all",
				"diff.external=false", "log.excludeDecoration=*", "log.diffMerges=combined", "core.pager=false", "trailer.separators=%", "core.commentChar=A"} {
				key, value, _ := strings.Cut(kv, "=")
				h.git("config", key, value)
			}
			h.commit(stamp)
			h.want("an empty claim", noStamp)
			h.commit("add\n\nDos-Ship: AUTH/AUTH2", "api/\u00e9.go", "2")
			h.want("a ship", "SHIPPED subject trailer-block")
		},
		"B18 a branch that HEAD is on": func(t *testing.T, h *history) {
			h.commit("rules", "dos.toml", "[trunk]\nref = \"main\"\n")
			h.git("checkout", "-q", "-b", "w")
			h.commit(stamp, "api/a.go", "2")
			if v := h.want("unmerged", no); v.Ref != "refs/heads/main" {
				t.Errorf("walked %s, want the trunk", v.Ref)
			}
			h.want("asked for by name", yes, ref("HEAD"))
			h.git("checkout", "-q", "main")
			h.git("merge", "-q", "w")
			h.want("merged", yes)
		},
		"B19 what cannot be read": func(t *testing.T, h *history) {
			lost := h.commit("x", "api/a.go", "2")
			h.commit("y", "api/a.go", "3")
			if ev, err := h.ask(h.dir, func(r *ShipRequest) { r.Cold = true }); err != nil || ship.Decide(ev).Outcome != ship.NotShipped {
				t.Errorf("a miss, when all is here: %+v, %v", ev, err)
			}
			if err := os.Remove(filepath.Join(h.dir, ".git", "objects", lost[:2], lost[2:])); err != nil {
				t.Fatal(err)
			}
			h.want("a lost commit", "INDETERMINATE")
			if _, err := refstore.Open(context.Background(), t.TempDir()); !errors.Is(err, refstore.ErrNoRepository) {
				t.Errorf("no repository: %v", err)
			}
			h.git("checkout", "-q", "--orphan", "new")
			h.want("an unborn branch is a true miss", no)
		},
		"B20 a broken dos.toml": func(t *testing.T, h *history) {
			h.commit(stamp, "api/a.go", "2")
			for _, text := range []string{"[stamp", "[stamps]\n", "[stamp]\nsubject_dir = []\n", "[stamp]\ntrailer_stamp = 1\n", "[verify]\nfloor = \"any\"\n"} {
				h.commit("rules", "dos.toml", text)
				if _, err := h.ask(h.dir); !errors.As(err, new(policy.Errors)) {
					t.Errorf("%q: %v, want policy errors", text, err)
				}
			}
			h.commit("rules", "dos.toml", "[stamp]\nsubject_dirs = [\"docs\"]\n")
			h.want("rules of the trunk that ask for a directory", no)
			if err := os.WriteFile(filepath.Join(h.dir, "dos.toml"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			h.want("which no work tree can lift", no)
			h.commit("rules", "dos.toml", "")
			h.want("but a commit can", yes)
		},
		"B21 styles and empty names": func(t *testing.T, h *history) {
			h.commit("rules", "dos.toml", "[stamp]\nstyle = \"registry\"\n")
			if _, err := h.ask(h.dir); !errors.As(err, new(policy.Errors)) {
				t.Errorf("an unknown style: %v, want policy errors", err)
			}
			h.commit(stamp, "dos.toml", "[stamp]\nstyle = \"grep\"\n")
			h.want("the one there is", yes)
			for _, u := range []Unit{{"", "AUTH2"}, {"AUTH", ""}, {" ", "AUTH2"}} {
				if _, err := h.ask(h.dir, unit(u.Plan, u.Phase)); !errors.As(err, new(*ShipRequestError)) {
					t.Errorf("%+v: %v, want a refused request", u, err)
				}
			}
		},
		"B22 a preferred artefact rung": func(t *testing.T, h *history) {
			h.commit("rules", "dos.toml", "[verify]\nprefer_artifact_rung = true\n")
			h.commit(stamp)
			h.want("refuses nothing more than an empty claim", noStamp)
			h.commit(stamp, "api/a.go", "2")
			h.want("and no ship", yes)
		},
		"B23 a command in the rules": func(t *testing.T, h *history) {
			ran := filepath.Join(h.dir, "ran")
			h.commit("rules", "dos.toml", fmt.Sprintf("[verify]\nexec_cmd = 'touch %s; exit 0'\nnon_git_oracle = \"yes\"\n", ran))
			h.commit(stamp)
			h.want("a command that would succeed", noStamp)
			h.commit(stamp, "dos.toml", fmt.Sprintf("[verify]\nexec_cmd = 'touch %s; exit 1'\n", ran), "api/a.go", "2")
			h.want("a command that would fail", yes)
			if _, err := os.Lstat(ran); err == nil {
				t.Error("the command ran")
			}
		},
		"B24 prose against a commit": func(t *testing.T, h *history) {
			const doc = "docs/auth-plan.md"
			h.commit("plan", doc, "### AUTH1\n\nopen\n\n### AUTH2\n\nopen\n")
			h.commit("add\n\nDos-Ship: AUTH/AUTH2", "api/a.go", "2")
			h.want("cannot veto a trailer", "SHIPPED subject trailer-block", planDoc(doc))
			h.commit("v1.2.3: AUTH1", "api/a.go", "3")
			h.want("but a mention", "NOT_SHIPPED mention demoted-by-plan-body", unit("AUTH", "AUTH1"), floor(ship.Mention), planDoc(doc))
			h.commit("plan", doc, "### AUTH1\n\nSHIPPED\n")
			h.want("unless it bears it out", "SHIPPED mention release-prefix", unit("AUTH", "AUTH1"), floor(ship.Mention), planDoc(doc))
		},
	} {
		t.Run(name, func(t *testing.T) { story(t, base(t)) })
	}
}
