//go:build unix

package board

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/browser"
)

// fleet is a day of so many lanes with so many events.
func fleet(lanes, events int) Data {
	d := Data{At: noon, Since: ago(24 * time.Hour), Chips: map[string]int{}, WindowS: 3600, Open: 4}
	words := []string{"ADVANCING", "SPINNING", "STALLED", "FREE", "WAITING", "DELEGATED", "PARKED", "FREE", "ADVANCING"}
	names := []string{"api", "web", "docs", "billing", "search", "kernel-lease", "refstore", "hooks", "payments-gateway", "ui"}
	var each time.Duration
	d.Windows, each = Windows(d.Since, d.At)
	draw := uint32(7)
	random := func(n int) int {
		draw = draw*1664525 + 1013904223
		return int(draw>>8) % n
	}
	for i := range lanes {
		l := Lane{Lane: names[i%len(names)], Chip: words[i%len(words)], Reason: "3 commits since the baseline, the last 5m0s ago", Spans: []Span{}}
		if i >= len(names) {
			l.Lane = fmt.Sprintf("%s-%d", l.Lane, i/len(names))
		}
		d.Chips[l.Chip]++
		at := d.Since
		for n := 0; at.Before(noon); n++ {
			from := at.Add(time.Duration(random(90)) * time.Minute)
			to := from.Add(time.Duration(10+random(200)) * time.Minute)
			s := Span{From: from, To: &to, State: Held, Gen: uint64(n + 1), Owner: fmt.Sprintf("worker-%d", random(40)), Node: "north", RunID: fmt.Sprintf("RID-1KDZ33WA00%d", random(9000)), Unit: fmt.Sprintf("PLAN/P%d", random(30)), End: "RELEASE"}
			switch k := random(14); {
			case k == 0:
				s.State, s.End = Waiting, "READY"
			case k == 1:
				s.State, s.End = Parked, "UNPARK"
			case k == 2:
				s.State, s.End = Unreadable, ""
			}
			if !to.Before(noon) {
				s.To, s.End = nil, ""
				if l.Chip == "FREE" || from.After(noon) {
					break
				}
				if l.Chip == "DELEGATED" {
					l.Spans = append(l.Spans, Span{From: from.Add(-3 * time.Hour), State: Delegated, Node: "south", Owner: "node south"})
				}
				if l.Chip == "STALLED" {
					s.State = Suspended
				}
				l.Owner, l.Node, l.RunID, l.Unit = s.Owner, s.Node, s.RunID, s.Unit
			}
			l.Spans = append(l.Spans, s)
			at = to
		}
		Order(l.Spans, noon)
		d.Lanes = append(d.Lanes, l)
	}
	kinds := [][2]string{{"SPAWN", ""}, {"EXIT", "CLAIM_WITNESSED"}, {"EXIT", "NO_CLAIM"}, {"REFUSE", "LANE_HELD"}, {"SHIP", ""}, {"INTENT", ""}, {"VERDICT", "RE_SEED"}, {"GATE", "PASS"}, {"SPAWN", ""}, {"EXIT", "CLAIM_WITNESSED"}, {"DECISION", "STUCK"}}
	for i := range events {
		k := kinds[random(len(kinds))]
		if k[0] == "DECISION" && random(6) > 0 {
			k = kinds[0]
		}
		at := d.Since.Add(time.Duration(i) * 24 * time.Hour / time.Duration(events))
		e := Event{At: at, Class: ClassOf(k[0], k[1]), Op: k[0], Word: k[1], Lane: d.Lanes[random(lanes)].Lane, RunID: fmt.Sprintf("RID-1KDZ33WA00%d", random(9000)), Node: "north", Text: fmt.Sprintf("worker-%d  unit PLAN/P%d  seat s%d", random(40), random(30), random(8))}
		d.Events = append(d.Events, e)
		Tally(d.Windows, each, e)
	}
	since := ago(3 * time.Hour)
	for i := range 3 {
		d.Decisions = append(d.Decisions, Decision{
			ID: fmt.Sprintf("1a2b3c4d5e6%d", i), Kind: []string{"LIVENESS", "RESUME_PROPOSAL", "DECISION"}[i], Lane: d.Lanes[i%lanes].Lane, RunID: "RID-1KDZ33WA001QZ2HK", Count: uint64(1 + 3*i), At: &since, Label: "next",
			Text: []string{"the run that holds it has not beaten for 47m", "the run died with 2 of 5 steps left", "may the old endpoint go?"}[i], Command: []string{"git dos reclaim", "git dos resume RID-1KDZ33WA001QZ2HK", ""}[i], Ack: fmt.Sprintf("git dos decisions ack 1a2b3c4d5e6%d", i),
		})
	}
	return d
}

func open(t *testing.T) *browser.Page {
	t.Helper()
	p, err := browser.Open()
	if errors.Is(err, browser.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// visit renders a page and opens it. It must make the console say nothing.
func visit(t *testing.T, p *browser.Page, d Data, width, height int) (bytesOfPage int) {
	t.Helper()
	var page bytes.Buffer
	must(t, Render(&page, d, false))
	path := filepath.Join(t.TempDir(), "board.html")
	must(t, os.WriteFile(path, page.Bytes(), 0o600))
	must(t, p.Size(width, height))
	must(t, p.Go("file://"+path))
	for _, f := range p.Faults() {
		t.Errorf("the console says %s", f)
	}
	return page.Len()
}

// keep keeps a picture where BOARD_SHOTS says.
func keep(t *testing.T, p *browser.Page, name string, whole bool) {
	t.Helper()
	dir := os.Getenv("BOARD_SHOTS")
	if dir == "" {
		return
	}
	if whole {
		must(t, p.Eval(`scrollTo(0, 0)`, nil))
		must(t, p.Size(ask[int](t, p, `innerWidth`), 2400))
	}
	png, err := p.Shot(false)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600))
}

func ask[T any](t *testing.T, p *browser.Page, expression string) (v T) {
	t.Helper()
	must(t, p.Eval(expression, &v))
	return v
}

// wide is how far the page is wider than its window.
const wide = `document.documentElement.scrollWidth - innerWidth`

func TestInABrowser(t *testing.T) {
	p := open(t)
	d := fleet(24, 900)
	d.Unread = []string{"refs/dos/journal/west: broken chain; the last entry that can be read is 5d1f (seq 12)"}
	for _, width := range []int{1280, 400} {
		for _, dark := range []bool{false, true} {
			must(t, p.Dark(dark))
			visit(t, p, d, width, 900)
			if over := ask[int](t, p, wide); over > 0 {
				t.Errorf("at %d the page is %d too wide", width, over)
			}
			if n := ask[int](t, p, `document.querySelectorAll(".lane .strip path").length`); n < 100 {
				t.Errorf("%d shapes are drawn", n)
			}
			keep(t, p, fmt.Sprintf("board-%d-%v", width, dark), true)
		}
	}
	must(t, p.Print())
	visit(t, p, d, 800, 900)
	if paper := ask[string](t, p, `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.getElementById("tools")).display`); paper != "rgb(255, 255, 255)none" {
		t.Errorf("it is printed on %s", paper)
	}
	keep(t, p, "board-print", true)
	must(t, p.Dark(false))
	visit(t, p, d, 1280, 900)
	must(t, p.Eval(`document.querySelector("[data-do=six]").click(); document.querySelector(".lane details").open = true; new Promise(r => setTimeout(r, 200))`, nil))
	if got := ask[string](t, p, `document.getElementById("range").textContent`); got != "2026-01-02 06:00:00 to 2026-01-02 12:00:00" {
		t.Errorf("six hours are %s", got)
	}
	keep(t, p, "board-six-hours", true)
	must(t, p.Eval(`{const f = document.getElementById("filter"); f.value = "api"; f.dispatchEvent(new Event("input"))}; new Promise(r => setTimeout(r, 200))`, nil))
	got := ask[[]string](t, p, `[...document.querySelectorAll(".lane:not([hidden]) .name")].map(e => e.textContent)`)
	if len(got) != 3 || got[0] != "api" {
		t.Errorf("the filter leaves %q", got)
	}
	if n := ask[int](t, p, `[...document.querySelectorAll("#events tbody tr")].filter(r => !r.textContent.includes("api")).length`); n != 0 {
		t.Errorf("%d events are of other lanes", n)
	}
	must(t, p.Eval(`{const f = document.getElementById("filter"); f.value = "no such lane"; f.dispatchEvent(new Event("input"))}; new Promise(r => setTimeout(r, 200))`, nil))
	if !ask[bool](t, p, `!document.getElementById("none").hidden`) {
		t.Error("that nothing matches is not said")
	}
}

// What is known stands on the page without its script.
func TestWithoutScripts(t *testing.T) {
	p := open(t)
	must(t, p.Scripts(false))
	visit(t, p, fleet(24, 900), 1280, 900)
	keep(t, p, "board-no-script", true)
	must(t, p.Scripts(true))
	for what, least := range map[string]int{".lane .strip path": 100, ".spans tbody tr": 60, "#events tbody tr": 100, ".decisions code": 3, ".rates path.rate": 5, ".kinds .bars": 8, ".axis text": 4} {
		if n := ask[int](t, p, fmt.Sprintf("document.querySelectorAll(%q).length", what)); n < least {
			t.Errorf("%d of %s, want %d", n, what, least)
		}
	}
	if ask[bool](t, p, `getComputedStyle(document.getElementById("tools")).display != "none"`) {
		t.Error("tools that do nothing are shown")
	}
}

func TestHostileNamesInABrowser(t *testing.T) {
	p := open(t)
	for _, width := range []int{1280, 400} {
		visit(t, p, sample(), width, 900)
		must(t, p.Eval(`for (const e of document.querySelectorAll("details")) e.open = true; new Promise(r => setTimeout(r, 300))`, nil))
		if over := ask[int](t, p, wide); over > 0 {
			t.Errorf("at %d the page is %d too wide", width, over)
		}
		if n := ask[int](t, p, `document.querySelectorAll("img, iframe, a, [onerror], [onmouseover], script:not(#data)").length`); n != 1 {
			t.Errorf("%d elements that may do something, want its own script", n)
		}
		if text := ask[string](t, p, `document.querySelector(".lane .name").textContent`); text != hostile[0] {
			t.Errorf("a name reads %q", text)
		}
		keep(t, p, fmt.Sprintf("board-hostile-%d", width), true)
	}
	for _, f := range p.Faults() {
		t.Errorf("the console says %s", f)
	}
}

// A large fleet's page is drawn at once and stays smooth. The bounds are wide: what
// they are there for is ten times as much.
func TestLargeInABrowser(t *testing.T) {
	p := open(t)
	size := visit(t, p, fleet(200, 10000), 1280, 900)
	paint := ask[float64](t, p, `new Promise(r => new PerformanceObserver(l => r(l.getEntries().find(e => e.name == "first-contentful-paint").startTime)).observe({type: "paint", buffered: true}))`)
	frames := ask[[]float64](t, p, `new Promise(done => {
		const times = []; let was = performance.now(), n = 0;
		const step = () => { const at = performance.now(); times.push(at - was); was = at; scrollBy(0, 60); if (++n < 120) requestAnimationFrame(step); else done(times); };
		requestAnimationFrame(step);
	})`)
	zoom := ask[float64](t, p, `new Promise(done => { const was = performance.now(); document.querySelector("[data-do=six]").click(); requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - was))); })`)
	filter := ask[float64](t, p, `new Promise(done => { const was = performance.now(), f = document.getElementById("filter"); f.value = "worker-3"; f.dispatchEvent(new Event("input")); requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - was))); })`)
	sum, slow := 0.0, 0
	for _, f := range frames {
		sum += f
		if f > 50 {
			slow++
		}
	}
	t.Logf("%d KiB, first paint after %.0f ms, %.0f frames a second while scrolling, %d of %d slow, zoom in %.0f ms, filter in %.0f ms", size>>10, paint, 1000*float64(len(frames))/sum, slow, len(frames), zoom, filter)
	keep(t, p, "board-large", false)
	if size > 4<<20 || paint > 10000 || sum/float64(len(frames)) > 200 || zoom > 5000 || filter > 5000 {
		t.Error("it is slow, or large")
	}
	if f := strings.Join(p.Faults(), "\n"); f != "" {
		t.Error(f)
	}
}
