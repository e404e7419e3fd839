package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
)

// onScreen is what a simulated terminal shows, a string for each row.
func onScreen(s tcell.SimulationScreen) (rows []string) {
	cells, width, height := s.GetContents()
	for y := range height {
		var b strings.Builder
		for _, c := range cells[y*width : (y+1)*width] {
			b.WriteString(string(c.Runes))
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	return rows
}

func terminal(t *testing.T, width, height int) tcell.SimulationScreen {
	t.Helper()
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	s.SetSize(width, height)
	t.Cleanup(s.Fini)
	return s
}

func numbered(n int) (f Frame) {
	for i := range n {
		f.Lines = append(f.Lines, Line{Text: fmt.Sprintf("line %d", i+1)})
	}
	return f
}

func key(k tcell.Key, r rune) *tcell.EventKey { return tcell.NewEventKey(k, r, tcell.ModNone) }

func TestPage(t *testing.T) {
	down, pgDn, last, up := key(tcell.KeyDown, 0), key(tcell.KeyPgDn, 0), key(tcell.KeyEnd, 0), key(tcell.KeyUp, 0)
	for _, c := range []struct {
		claim string
		lines int
		keys  []*tcell.EventKey
		want  string // the first line that is shown
		foot  string
	}{
		{"a short page has no place in it", 3, nil, "line 1", "every 2s   q ends, r looks again"},
		{"and does not scroll", 3, []*tcell.EventKey{down, pgDn}, "line 1", "looks again"},
		{"a long one tells where one is", 10, nil, "line 1", "1-4 of 10"},
		{"a line down", 10, []*tcell.EventKey{down}, "line 2", "2-5 of 10"},
		{"a page down", 10, []*tcell.EventKey{pgDn}, "line 5", "5-8 of 10"},
		{"the end is full", 10, []*tcell.EventKey{last}, "line 7", "7-10 of 10"},
		{"below it is nothing", 10, []*tcell.EventKey{last, down, pgDn, key(tcell.KeyRune, ' ')}, "line 7", "7-10 of 10"},
		{"above the beginning too", 10, []*tcell.EventKey{up, up, down}, "line 2", "2-5"},
		{"letters do as arrows", 10, []*tcell.EventKey{key(tcell.KeyRune, 'j'), key(tcell.KeyRune, 'j'), key(tcell.KeyRune, 'k')}, "line 2", "2-5"},
	} {
		s := terminal(t, 60, 5)
		p := page{frame: numbered(c.lines), every: 2 * time.Second}
		p.draw(s)
		for _, k := range c.keys {
			if w := p.answer(s, k); w != nothing {
				t.Errorf("%s: a key asks for %d", c.claim, w)
			}
			p.draw(s)
		}
		if rows := onScreen(s); rows[0] != c.want || !strings.Contains(rows[4], c.foot) {
			t.Errorf("%s: %q, want %q above %q", c.claim, rows, c.want, c.foot)
		}
	}
}

func TestKeysThatAsk(t *testing.T) {
	for k, want := range map[*tcell.EventKey]wish{
		key(tcell.KeyRune, 'q'): end, key(tcell.KeyEscape, 0): end, key(tcell.KeyCtrlC, 0): end,
		key(tcell.KeyRune, 'r'): again, key(tcell.KeyRune, 'x'): nothing,
	} {
		p := page{}
		if got := p.key(k); got != want {
			t.Errorf("%s asks for %d, want %d", k.Name(), got, want)
		}
	}
}

// A page that could not be made anew stays, and does not pass for a new one.
func TestAFailedLookIsTold(t *testing.T) {
	s := terminal(t, 60, 4)
	p := page{frame: numbered(2), every: time.Second}
	p.take(looked{err: errors.New("no\x1b[2Jnet")})
	p.draw(s)
	if rows := onScreen(s); rows[0] != "line 1" || rows[3] != "NOT UP TO DATE: no?[2Jnet" {
		t.Errorf("%q", rows)
	}
	p.take(looked{frame: numbered(1)})
	p.draw(s)
	if rows := onScreen(s); strings.Contains(rows[3], "NOT") {
		t.Errorf("%q", rows)
	}
}

func TestDrawFitsAnyTerminal(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {3, 2}, {200, 1}} {
		s := terminal(t, size[0], size[1])
		p := page{frame: Frame{Lines: []Line{{Text: "日本語 and more", Tone: Bad}, {Text: ""}}}}
		p.draw(s)
	}
}

// Show looks again when asked and when it is time, and ends when asked, with the
// context or with a first look that fails.
func TestShow(t *testing.T) {
	t.Run("keys", func(t *testing.T) {
		s := opened{tcell.NewSimulationScreen(""), make(chan struct{}, 1)}
		looks := make(chan struct{}, 1000)
		look := func(context.Context) (Frame, error) {
			looks <- struct{}{}
			return Frame{}, nil
		}
		done := make(chan error, 1)
		go func() { done <- show(context.Background(), s, time.Hour, Frame{}, look) }()
		<-s.drawn
		for range 1000 {
			ask := 'r'
			if len(looks) > 1 {
				ask = 'q'
			}
			_ = s.PostEvent(key(tcell.KeyRune, ask))
			time.Sleep(5 * time.Millisecond)
			if len(done) > 0 {
				break
			}
		}
		ended(t, done, nil)
		if len(looks) < 2 {
			t.Errorf("it looked %d times", len(looks))
		}
	})
	t.Run("time", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		n := 0
		done := make(chan error, 1)
		go func() {
			done <- show(ctx, tcell.NewSimulationScreen(""), time.Millisecond, Frame{}, func(context.Context) (Frame, error) {
				if n++; n == 3 {
					cancel()
				}
				return Frame{}, nil
			})
		}()
		ended(t, done, context.Canceled)
	})
	t.Run("first", func(t *testing.T) {
		bad := errors.New("no store")
		if err := Show(context.Background(), time.Second, func(context.Context) (Frame, error) { return Frame{}, bad }); err != bad {
			t.Errorf("Show: %v", err)
		}
	})
}

// opened tells when it has been drawn on.
type opened struct {
	tcell.SimulationScreen
	drawn chan struct{}
}

func (o opened) Show() {
	o.SimulationScreen.Show()
	select {
	case o.drawn <- struct{}{}:
	default:
	}
}

func ended(t *testing.T, done chan error, want error) {
	t.Helper()
	select {
	case err := <-done:
		if !errors.Is(err, want) {
			t.Errorf("it ended with %v, want %v", err, want)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it did not end")
	}
}
