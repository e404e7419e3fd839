package gitdos_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// gitQuestions say how each function's query is put to the verb, and how what
// it answers is written as a vector's want.
var gitQuestions = map[string]gitQuestion{
	"verify":       {askVerify, saidByVerify},
	"commit_audit": {askCommitAudit, saidByCommitAudit},
	"reconcile":    {askReconcile, saidByReconcile},
}

type gitQuestion struct {
	args func(query json.RawMessage, r rebuilt) ([]string, error)
	said func(v gitVector, r rebuilt, got said) (any, error)
}

// said is how the verb ended: the value it printed is nil where it printed
// none.
type said struct {
	exit   int
	value  any
	stderr string
}

func askVerify(query json.RawMessage, _ rebuilt) ([]string, error) {
	var q struct {
		Plan    string  `json:"plan"`
		Phase   string  `json:"phase"`
		Ref     string  `json:"ref"`
		PlanDoc *string `json:"plan_doc"`
	}
	err := strictly(query, &q)
	args := []string{"verify", "--json", "--floor=mention", "--ref=" + q.Ref}
	if q.PlanDoc != nil {
		args = append(args, "--plan-doc="+*q.PlanDoc)
	}
	return append(args, "--", q.Plan, q.Phase), err
}

// saidByVerify compares the exit status and shipped; of a ship the rung and the
// commit too, and of a miss the rung where two plans share a number. The rest
// is taken over from the vector, since the contract leaves it open.
func saidByVerify(v gitVector, r rebuilt, got said) (any, error) {
	var want struct{ JSON map[string]any }
	if err := json.Unmarshal(v.Want, &want); err != nil {
		return nil, err
	}
	answer, ok := got.value.(map[string]any)
	if !ok || answer["shipped"] != want.JSON["shipped"] {
		return plainly(got), nil
	}
	judged := maps.Clone(want.JSON)
	shipped := answer["shipped"] == true
	if shipped || want.JSON["rung"] == "ambiguous-number" {
		judged["rung"] = answer["rung"]
	}
	if shipped {
		judged["commit"] = r.commit(answer["sha"])
	}
	return map[string]any{"exit": got.exit, "json": judged}, nil
}

func askCommitAudit(query json.RawMessage, r rebuilt) ([]string, error) {
	var q struct {
		Ref      string `json:"ref"`
		DocsOK   bool   `json:"docs_ok"`
		WarnOnly bool   `json:"warn_only"`
		Sweep    bool   `json:"sweep"`
	}
	err := strictly(query, &q)
	args := []string{"commit-audit", "--json"}
	for flag, on := range map[string]bool{"--docs-ok": q.DocsOK, "--warn-only": q.WarnOnly, "--sweep": q.Sweep} {
		if on {
			args = append(args, flag)
		}
	}
	for i, id := range r.ids {
		q.Ref = strings.ReplaceAll(q.Ref, fmt.Sprintf("{%d}", i), id)
	}
	return append(args, "--", q.Ref), err
}

func saidByCommitAudit(_ gitVector, r rebuilt, got said) (any, error) {
	switch answer := got.value.(type) {
	case []any:
		findings := make([]any, len(answer))
		for i, f := range answer {
			f, _ := f.(map[string]any)
			findings[i] = only(f, "verdict", "claim_kind", "witness", "source_files", "test_files", "ci_files", "data_files")
			findings[i].(map[string]any)["commit"] = r.commit(f["sha"])
		}
		return map[string]any{"exit": got.exit, "json": findings}, nil
	case map[string]any:
		sweep := only(answer, "commits", "checkable", "abstained", "witnessed", "unwitnessed", "by_kind")
		if rate, ok := answer["drift_rate"].(float64); ok {
			sweep["drift_rate"] = math.Round(rate*1e6) / 1e6
		}
		if shas, ok := answer["unwitnessed_shas"].([]any); ok {
			for i := range shas {
				shas[i] = r.commit(shas[i])
			}
			sweep["unwitnessed_commits"] = shas
		}
		return map[string]any{"exit": got.exit, "json": sweep}, nil
	}
	return plainly(got), nil
}

func askReconcile(query json.RawMessage, _ rebuilt) ([]string, error) {
	var q struct {
		Unit          string  `json:"unit"`
		ClaimedDone   bool    `json:"claimed_done"`
		OracleShipped *bool   `json:"oracle_shipped"`
		Plan          *string `json:"plan"`
		Phase         *string `json:"phase"`
		Ref           *string `json:"ref"`
	}
	err := strictly(query, &q)
	args := []string{"reconcile", "--json"}
	if q.ClaimedDone {
		args = append(args, "--claimed-done")
	}
	if q.OracleShipped != nil {
		args = append(args, "--replay", map[bool]string{true: "--oracle-shipped", false: "--no-oracle-shipped"}[*q.OracleShipped])
	}
	if q.Plan != nil {
		args = append(args, "--plan="+*q.Plan)
	}
	if q.Phase != nil {
		args = append(args, "--phase="+*q.Phase)
	}
	if q.Ref != nil {
		args = append(args, "--floor=mention", "--ref="+*q.Ref)
	}
	return append(args, "--", q.Unit), err
}

func saidByReconcile(_ gitVector, _ rebuilt, got said) (any, error) {
	answer, ok := got.value.(map[string]any)
	if !ok {
		return plainly(got), nil
	}
	return map[string]any{"exit": got.exit, "json": only(answer, "state", "unit", "claimed", "oracle_shipped", "keeps_in_residual", "flag")}, nil
}

// plainly is an answer as it stands. What the verb said on standard error is
// shown where it can only be a difference.
func plainly(got said) any {
	whole := map[string]any{"exit": got.exit, "json": got.value}
	if got.exit != 2 {
		whole["stderr"] = got.stderr
	}
	return whole
}

// only is the part of an object that the contract speaks of.
func only(object map[string]any, keys ...string) map[string]any {
	part := map[string]any{}
	for _, k := range keys {
		if v, present := object[k]; present {
			part[k] = v
		}
	}
	return part
}

// inRepository answers a vector through the product's own command line, in the
// repository that the vector describes. The harness asks for one vector after
// the other; all of the folder are worked on from the first question on.
func inRepository(line json.RawMessage) (any, error) {
	gitAhead.once.Do(gitAhead.start)
	if gitAhead.err != nil {
		return nil, gitAhead.err
	}
	if a := gitAhead.answers[string(bytes.TrimSpace(line))]; a != nil {
		<-a.done
		return a.value, a.err
	}
	return gitAhead.answer(line)
}

// gitAhead works on the repositories before they are asked for.
var gitAhead workshop

type workshop struct {
	once    sync.Once
	dir     string // holds the binary, an empty repository, a home and the repositories
	err     error
	answers map[string]*aheadAnswer // by the vector's line
}

type aheadAnswer struct {
	done  chan struct{}
	value any
	err   error
}

// TestMain removes what the vectors left behind.
func TestMain(m *testing.M) {
	status := m.Run()
	if gitAhead.dir != "" {
		_ = os.RemoveAll(gitAhead.dir)
	}
	os.Exit(status)
}

func (w *workshop) start() {
	if w.err = w.open(); w.err != nil {
		return
	}
	w.answers = map[string]*aheadAnswer{}
	var lines []string
	files, err := filepath.Glob(filepath.Join(vectorsDir(), "*.jsonl"))
	for _, file := range files {
		err = errors.Join(err, eachLine(file, func(_ int, line []byte) error {
			var v vector
			key := string(bytes.TrimSpace(line))
			if json.Unmarshal(line, &v) != nil || v.Input != nil || slices.Contains(later, v.Fn) || w.answers[key] != nil {
				return nil // the harness says what is wrong with it, if anything is
			}
			if _, ours := gitQuestions[v.Fn]; ours {
				w.answers[key] = &aheadAnswer{done: make(chan struct{})}
				lines = append(lines, key)
			}
			return nil
		}))
	}
	w.err = err
	queue := make(chan string, len(lines))
	for _, line := range lines {
		queue <- line
	}
	close(queue)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for line := range queue {
				a := w.answers[line]
				a.value, a.err = w.answer([]byte(line))
				close(a.done)
			}
		}()
	}
}

// open builds the product and makes the repository all others begin as.
func (w *workshop) open() error {
	var err error
	if w.dir, err = os.MkdirTemp("", "git-dos-vectors-"); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", w.binary(), "./cmd/git-dos").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	return errors.Join(os.Mkdir(w.home(), 0o755), emptyRepository(w.seed(), quietEnv(w.home())))
}

func (w *workshop) seed() string { return filepath.Join(w.dir, "seed") }
func (w *workshop) home() string { return filepath.Join(w.dir, "home") }
func (w *workshop) binary() string {
	return filepath.Join(w.dir, "git-dos"+map[bool]string{true: ".exe"}[runtime.GOOS == "windows"])
}

func (w *workshop) answer(line []byte) (any, error) {
	var v gitVector
	if err := strictly(line, &v); err != nil {
		return nil, err
	}
	question, ours := gitQuestions[v.Fn]
	if !ours {
		return nil, fmt.Errorf("%s is asked of no repository", v.Fn)
	}
	dir, err := os.MkdirTemp(w.dir, "repo-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(w.seed())); err != nil {
		return nil, err
	}
	r, err := v.rebuild(dir, quietEnv(w.home()))
	if err != nil {
		return nil, err
	}
	args, err := question.args(v.Query, r)
	if err != nil {
		return nil, err
	}
	got, err := runVerb(w.binary(), args, dir, quietEnv(w.home()))
	if err != nil {
		return nil, err
	}
	return question.said(v, r, got)
}

// runVerb runs the product as a process. It is an error when that ends by a
// signal, prints anything but one JSON value, or prints one with status 2.
func runVerb(binary string, args []string, dir string, env []string) (said, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitDeadline)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !(errors.As(err, &exit) && exit.Exited()) {
		return said{}, fmt.Errorf("git-dos %q: %w: %s", args, err, errs.Bytes())
	}
	got := said{exit: cmd.ProcessState.ExitCode(), stderr: errs.String()}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &got.value); err != nil {
			return said{}, fmt.Errorf("git-dos %q printed %q: %w", args, out.Bytes(), err)
		}
	}
	if (got.exit == 2) != (out.Len() == 0) {
		return said{}, fmt.Errorf("git-dos %q ended with status %d, standard output %q, standard error %q", args, got.exit, out.Bytes(), errs.Bytes())
	}
	return got, nil
}

// quietEnv is an environment in which no configuration but the repository's
// own has a say.
func quietEnv(home string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "DISPATCH_") || strings.HasPrefix(kv, "FLEET_") || strings.HasPrefix(kv, "XDG_")
	})
	return append(env, "HOME="+home, "USERPROFILE="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C", "NO_COLOR=1")
}

// emptyRepository makes a repository without a commit.
func emptyRepository(dir string, env []string) error {
	cmd := exec.Command("git", "init", "--quiet", "--template=", "--initial-branch=main", dir)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	return nil
}
