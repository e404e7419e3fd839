package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The session in the README is what the demo prints, to the letter.
func TestREADMEShowsTheDemo(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```console\n")
	want, _, ended := strings.Cut(rest, "```")
	if !ok || !ended {
		t.Fatal("the README has no console block")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"git-dos", "demo"}, streams{in: strings.NewReader(""), out: &out, err: &errs})
	if code != 0 || errs.Len() > 0 {
		t.Errorf("the demo ended with %d: %s", code, &errs)
	}
	if got := strings.Trim(out.String(), "\n"); got != strings.Trim(want, "\n") {
		t.Errorf("the demo and the README differ. The demo printed:\n%s", got)
	}
}

// The demo's answer for machines is one object, and without text there is none.
func TestDemoAnswersMachines(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"git-dos", "demo", "--json"}, streams{in: strings.NewReader(""), out: &out, err: &errs})
	var p performance
	if err := json.Unmarshal(out.Bytes(), &p); err != nil || code != 0 || len(p.Steps) < 10 || errs.Len() > 0 {
		t.Errorf("exit %d, %v: %s%s", code, err, &out, &errs)
	}
}

func TestPerformanceExitCodes(t *testing.T) {
	shown := []shownStep{{What: "a push"}}
	for claim, c := range map[string]struct {
		p    performance
		want int
	}{
		"nothing shown is no verdict": {performance{}, 2},
		"all as announced":            {performance{Steps: shown}, 0},
		"a step that was not":         {performance{Steps: shown, Missed: []string{"it landed"}}, 1},
	} {
		if got := c.p.ExitCode(); got != c.want {
			t.Errorf("%s: exit %d, want %d", claim, got, c.want)
		}
	}
}
