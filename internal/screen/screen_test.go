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
		{"a short page has no place in it", 3, nil, "line 1", "q ends, ? tells the keys   every 2s"},
		{"and does not scroll", 3, []*tcell.EventKey{down, pgDn}, "line 1", "tells the keys"},
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
		key(tcell.KeyCtrlZ, 0): halt,
	} {
		p := page{}
		if got := p.answer(nil, k); got != want {
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
	if rows := onScreen(s); rows[0] != "line 1" || rows[3] != "NOT UP TO DATE since 00:00:00: no?[2Jnet" {
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

// sections is a page with a heading of its own and two parts.
func sections() Frame {
	f := Frame{Lines: []Line{{Text: "top  2026-01-02T12:00:00Z  and what else a head says", Tone: Head}, {Text: "LANES  STALLED 1  ADVANCING 11", Tone: Head}}}
	for i := range 12 {
		f.Lines = append(f.Lines, Line{Text: fmt.Sprintf("  lane-%02d           ADVANCING   g1     a worker on north", i)})
	}
	f.Lines[5].Tone = Bad
	f.Lines = append(f.Lines, Line{Text: "BEATS  none", Tone: Head})
	for i := range 12 {
		f.Lines = append(f.Lines, Line{Text: fmt.Sprintf("  beat %02d", i)})
	}
	return f
}

// However few rows and columns there are, the head of a page and the heading of what is
// shown stay, what is cut says so, and the foot tells where one is.
func TestANarrowAndLowTerminal(t *testing.T) {
	last, down := key(tcell.KeyEnd, 0), key(tcell.KeyDown, 0)
	for _, c := range []struct {
		width, height int
		keys          []*tcell.EventKey
		want          string // the rows, the foot last
	}{
		{40, 6, nil, "top  2026-01-02T12:00:00Z  and what els…|LANES  STALLED 1  ADVANCING 11|  lane-00           ADVANCING   g1     …|  lane-01           ADVANCING   g1     …|  lane-02           ADVANCING   g1     …|q ends, ? tells the keys   ev… 1-4 of 26"},
		{40, 6, []*tcell.EventKey{down}, "top  2026-01-02T12:00:00Z  and what els…|LANES  STALLED 1  ADVANCING 11|  lane-01           ADVANCING   g1     …|  lane-02           ADVANCING   g1     …|! lane-03           ADVANCING   g1     …|q ends, ? tells the keys   ev… 2-5 of 26"},
		{20, 5, []*tcell.EventKey{down}, "top 2026-01-02T12:0…|LANES STALLED 1 ADV…|  lane-01 ADVANCING…|  lane-02 ADVANCING…|q ends, ?… 2-4 of 26"},
		{20, 5, []*tcell.EventKey{last}, "top 2026-01-02T12:0…|BEATS  none|  beat 10|  beat 11|q ends,… 24-26 of 26"},
		{20, 4, []*tcell.EventKey{last}, "top 2026-01-02T12:0…|BEATS  none|  beat 11|q ends,… 25-26 of 26"},
		{20, 3, []*tcell.EventKey{last}, "  beat 10|  beat 11|q ends,… 26-27 of 27"},
		{20, 1, nil, "q ends, ? tells the…"},
		{12, 2, nil, "top 2026-01…|q ends, ? t…"},
		{20, 5, typing("/beat 1"), "top 2026-01-02T12:0…|LANES STALLED 1 ADV…|BEATS  none|  beat 10|filter: beat 1_   E…"},
		{20, 5, typing("/a b c d e f g h i j k"), "top 2026-01-02T12:0…|LANES STALLED 1 ADV…|BEATS  none||filter: …g h i j k_…"},
		{20, 5, typing("?jj"), "KEYS|  Home End move to …|  /, f show lines w…|  Esc show all agai…|arrows mo… 3-5 of 15"},
		{20, 5, typing("jjj?jjq"), "top 2026-01-02T12:0…|LANES STALLED 1 ADV…|! lane-03 ADVANCING…|  lane-04 ADVANCING…|q ends, ?… 4-6 of 26"},
	} {
		s := terminal(t, c.width, c.height)
		p := page{frame: sections(), every: time.Second}
		p.draw(s)
		for _, k := range c.keys {
			p.answer(s, k)
			p.draw(s)
		}
		if got := strings.Join(onScreen(s), "|"); got != c.want {
			t.Errorf("%d x %d after %d keys:\n%s, want\n%s", c.width, c.height, len(c.keys), got, c.want)
		}
	}
}

// Whoever pages to the end has seen every line, however many rows there are.
func TestPagingLeavesNothingOut(t *testing.T) {
	for _, height := range []int{2, 3, 4, 5, 10, 40} {
		s := terminal(t, 80, height)
		p := page{frame: sections(), every: time.Second}
		var seen strings.Builder
		for range len(p.frame.Lines) {
			p.draw(s)
			seen.WriteString(strings.Join(onScreen(s), "\n"))
			p.answer(s, key(tcell.KeyPgDn, 0))
		}
		for _, l := range p.frame.Lines {
			if !strings.Contains(seen.String(), l.Text[1:]) {
				t.Errorf("of %d rows none ever has %q", height, l.Text)
			}
		}
	}
}

// A wide character that only half fits is not shown by half.
func TestAWideCharacterIsNotCutInHalf(t *testing.T) {
	for width, want := range map[int]string{7: "ab 日本", 6: "ab 日…", 5: "ab …", 4: "ab …"} {
		s := terminal(t, width, 1)
		put(s, 0, width, row{text: "ab 日本"})
		s.Show()
		if got := strings.ReplaceAll(onScreen(s)[0], "日 ", "日"); strings.ReplaceAll(got, "本 ", "本") != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

// A terminal without Unicode is shown by what it has that a text was cut off.
func TestATerminalWithoutAnEllipsisIsToldByAnother(t *testing.T) {
	s := tcell.NewSimulationScreen("US-ASCII")
	if err := start(s); err != nil {
		t.Fatal(err)
	}
	defer s.Fini()
	put(s, 0, 5, row{text: "a long text"})
	s.Show()
	if cells, _, _ := s.GetContents(); string(cells[4].Bytes) != ellipsisPlain {
		t.Errorf("the last column has %q, want %q", cells[4].Bytes, ellipsisPlain)
	}
}

// A terminal may become smaller while it is drawn on.
func TestATerminalThatBecomesSmallerIsDrawnOnToTheEnd(t *testing.T) {
	s := terminal(t, 10, 1)
	done := make(chan struct{})
	go func() {
		put(s, 0, 20, row{text: "longer than it has become"})
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it draws for ever")
	}
}

// What the keys do is read in 40 columns.
func TestTheKeysAreToldInFortyColumns(t *testing.T) {
	for _, l := range helpLines {
		if len(l.Text) > 40 {
			t.Errorf("%q", l.Text)
		}
	}
}

// typing is a word as it is typed.
func typing(word string) (all []*tcell.EventKey) {
	for _, r := range word {
		all = append(all, key(tcell.KeyRune, r))
	}
	return all
}

func TestSortFilterPauseHelp(t *testing.T) {
	f := Frame{Orders: []string{"name", "urgency"}, Lines: []Line{
		{Text: "LANES", Tone: Head}, {Text: "  api", Keys: []string{"api", "2"}}, {Text: "  web", Tone: Bad, Keys: []string{"web", "0"}}, {Text: "  docs", Tone: Warn, Keys: []string{"zzz", "1"}},
		{Text: "END", Tone: Head}, {Text: "  zoo", Keys: []string{"a", "9"}}, {Text: "  ape", Keys: []string{"b", "8"}},
	}}
	enter, esc, back := key(tcell.KeyEnter, 0), key(tcell.KeyEscape, 0), key(tcell.KeyBackspace2, 0)
	for _, c := range []struct {
		claim string
		keys  []*tcell.EventKey
		want  string // the rows, the foot last
	}{
		{"as it came, with marks", nil, "LANES|  api|! web|~ docs|END|  zoo|  ape||q ends, ? tells the keys   every 1s"},
		{"sorted within what belongs together", typing("s"), "LANES|! web|~ docs|  api|END|  ape|  zoo||by urgency   q ends, ? tells the keys   every 1s"},
		{"and back", typing("ss"), "LANES|  api|! web|~ docs|END|  zoo|  ape||q ends, ? tells the keys   every 1s"},
		{"the other way round", typing("S"), "LANES|! web|~ docs|  api|END|  ape|  zoo||by urgency   q ends, ? tells the keys   every 1s"},
		{"a filter as it is typed", typing("/AP"), "LANES|  api|END|  ape|||||filter: AP_   Enter keeps it, Esc takes it away"},
		{"is kept", append(typing("/qx"), back, back, key(tcell.KeyRune, 'w'), enter), "LANES|! web|END||||||only w   q ends, ? tells the keys   every 1s"},
		{"or taken away", append(typing("/web"), esc), "LANES|  api|! web|~ docs|END|  zoo|  ape||q ends, ? tells the keys   every 1s"},
		{"also later", append(typing("/web"), enter, esc), "LANES|  api|! web|~ docs|END|  zoo|  ape||q ends, ? tells the keys   every 1s"},
		{"to the right", []*tcell.EventKey{key(tcell.KeyRight, 0)}, "||||||||q ends, ? tells the keys   every 1s"},
		{"a pause", typing("p"), "LANES|  api|! web|~ docs|END|  zoo|  ape||PAUSED at 00:00:00, p goes on"},
		{"the keys", typing("?"), "KEYS|  arrows, j k  move|"},
		{"any other key ends them", typing("?jq"), "LANES|  api|! web|~ docs|END|  zoo|  ape||q ends, ? tells the keys   every 1s"},
	} {
		s := terminal(t, 70, 9)
		p := page{frame: f, every: time.Second}
		for _, k := range c.keys {
			if w := p.answer(s, k); w == end {
				t.Errorf("%s: it ends", c.claim)
			}
		}
		p.draw(s)
		if got := strings.Join(onScreen(s), "|"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s, want\n%s", c.claim, got, c.want)
		}
	}
}

// A page that is paused is not made anew until it goes on.
func TestAPauseAsksForNothing(t *testing.T) {
	p := page{}
	if w := p.answer(nil, key(tcell.KeyRune, 'p')); w != nothing || !p.paused {
		t.Errorf("to pause asks for %d", w)
	}
	if w := p.answer(nil, key(tcell.KeyRune, 'p')); w != again || p.paused {
		t.Errorf("to go on asks for %d", w)
	}
}

// A look that panics takes the process down with the terminal given back.
func TestAPanicGivesTheTerminalBack(t *testing.T) {
	s := finished{SimulationScreen: tcell.NewSimulationScreen(""), times: new(int)}
	defer func() {
		if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "a bug") {
			t.Errorf("it came to %v", v)
		}
		if *s.times != 1 {
			t.Errorf("the terminal was given back %d times", *s.times)
		}
	}()
	_ = show(context.Background(), s, Options{Every: time.Millisecond}, Frame{}, func(context.Context) (Frame, error) { panic("a bug") })
}

// finished counts how often it was given back.
type finished struct {
	tcell.SimulationScreen
	times *int
}

func (f finished) Fini() {
	*f.times++
	f.SimulationScreen.Fini()
}

// No two tones are told apart by colour alone, where they may stand side by side.
func TestTonesWithoutColour(t *testing.T) {
	seen := map[string]Tone{}
	for _, tone := range []Tone{Plain, Warn, Bad} {
		_, _, attributes := stylesFor(true)[tone].Decompose()
		look := fmt.Sprint(marks[tone], attributes)
		if was, ok := seen[look]; ok {
			t.Errorf("tones %d and %d look the same", was, tone)
		}
		seen[look] = tone
		if fg, bg, _ := stylesFor(true)[tone].Decompose(); fg != tcell.ColorDefault || bg != tcell.ColorDefault {
			t.Errorf("tone %d has a colour", tone)
		}
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
		go func() { done <- show(context.Background(), s, Options{Every: time.Hour}, Frame{}, look) }()
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
			done <- show(ctx, tcell.NewSimulationScreen(""), Options{Every: time.Millisecond}, Frame{}, func(context.Context) (Frame, error) {
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
		if err := Show(context.Background(), Options{Every: time.Second}, func(context.Context) (Frame, error) { return Frame{}, bad }); err != bad {
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
