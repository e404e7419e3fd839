//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/browser"
)

// A board of 200 lanes with 10000 entries each in a day is made, and drawn, in bounded
// time; what it leaves out it says. That many, two million commits, it has where
// GITDOS_LONG is set. The bounds are wide: what they are there for is ten
// times as much.
func TestTheBoardOfALargeFleet(t *testing.T) {
	entries := 60
	if os.Getenv("GITDOS_LONG") != "" {
		entries = 10000
	}
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@example.com", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@example.com")
	gitIn(t, dir, env, "init", "-q", "-b", "main")
	chains := map[string]int{}
	names, rules := boardRules(200)
	for _, name := range names {
		chains[name] = entries
	}
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, env, "add", "dos.toml")
	gitIn(t, dir, env, "commit", "-q", "-m", "rules")
	began := time.Now()
	boardHistory(t, dir, chains, 24*time.Hour/time.Duration(entries+1), boardNoon)
	t.Logf("200 lanes x %d entries, written in %.1f s", entries, time.Since(began).Seconds())

	page := filepath.Join(t.TempDir(), "board.html")
	cmd := exec.Command("git-dos", "board", "-C", dir, "--out", page, "--now", boardNoon.Format(time.RFC3339))
	cmd.Env = env
	began = time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if cut := strings.Contains(string(text), "of 200 lanes only the newest entries were"); cut != (200*entries > maxBoardEntries) {
		t.Errorf("that there is more is said: %v", cut)
	}
	if strings.Contains(string(text), topUnreadable) || strings.Contains(string(text), "Not read") {
		t.Error("a lane was not read")
	}
	t.Logf("made in %.1f s, %d KiB", took.Seconds(), len(text)>>10)
	if took > 90*time.Second || len(text) > 24<<20 {
		t.Error("it is slow, or large")
	}
	boardDrawn(t, page)
}

// boardDrawn opens a page, scrolls and zooms.
func boardDrawn(t *testing.T, page string) {
	p, err := browser.Open()
	if errors.Is(err, browser.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := errors.Join(p.Size(1280, 900), p.Go("file://"+page)); err != nil {
		t.Fatal(err)
	}
	var paint, zoom, filter float64
	var frames []float64
	for _, m := range []struct {
		expression string
		value      any
	}{
		{`new Promise(r => new PerformanceObserver(l => r(l.getEntries().find(e => e.name == "first-contentful-paint").startTime)).observe({type: "paint", buffered: true}))`, &paint},
		{`new Promise(done => {
			const times = []; let was = performance.now();
			const step = () => { const at = performance.now(); times.push(at - was); was = at; scrollBy(0, 60); if (times.length < 120) requestAnimationFrame(step); else done(times); };
			requestAnimationFrame(step);
		})`, &frames},
		{`new Promise(done => { const was = performance.now(); document.querySelector("[data-do=hour]").click(); requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - was))); })`, &zoom},
		{`new Promise(done => { const was = performance.now(), f = document.getElementById("filter"); f.value = "lane-1"; f.dispatchEvent(new Event("input")); requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - was))); })`, &filter},
	} {
		if err := p.Eval(m.expression, m.value); err != nil {
			t.Fatal(err)
		}
	}
	sum, slow := 0.0, 0
	for _, f := range frames {
		sum += f
		if f > 50 {
			slow++
		}
	}
	t.Logf("first paint after %.0f ms, %.0f frames a second while scrolling, %d of %d slow, zoom in %.0f ms, filter in %.0f ms", paint, 1000*float64(len(frames))/sum, slow, len(frames), zoom, filter)
	if paint > 20000 || sum/float64(len(frames)) > 200 || zoom > 5000 || filter > 5000 {
		t.Error("it is slow")
	}
	for _, f := range p.Faults() {
		t.Errorf("the console says %s", f)
	}
	if dir := os.Getenv("BOARD_SHOTS"); dir != "" {
		png, err := p.Shot(false)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "board-real.png"), png, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
