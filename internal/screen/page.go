package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// A page is a frame and where its user stands in it.
type page struct {
	frame  Frame
	at     time.Time // when it was looked at
	every  time.Duration
	styles map[Tone]tcell.Style
	fault  string // why the last look failed

	top, left int // the first line and column that are shown of what scrolls
	rows      int // how many rows there were for it
	step      int // how many of those a page is
	back      int // where it goes on when the help ends
	order     int // by which of the frame's orders it is sorted
	filter    string
	typing    bool // the filter is being typed
	paused    bool
	help      bool

	width int // of the terminal, and what stands on it
	drawn []row
}

func (p *page) take(l looked) {
	switch {
	case l.panic != "":
		panic(l.panic)
	case l.err != nil:
		p.fault = strings.Map(plain, l.err.Error())
	default:
		p.frame, p.fault, p.at = l.frame, "", l.at
	}
}

// plain leaves out of somebody's words what a terminal might obey.
func plain(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}

// lines are what there is to be seen: sorted, and of the filter. Headings stay.
func (p *page) lines() []Line {
	if p.help {
		return helpLines
	}
	all := slices.Clone(p.frame.Lines)
	if p.order > 0 && p.order < len(p.frame.Orders) {
		for from := 0; from < len(all); from++ {
			to := from
			for to < len(all) && len(all[to].Keys) > p.order {
				to++
			}
			slices.SortStableFunc(all[from:to], func(a, b Line) int { return strings.Compare(a.Keys[p.order], b.Keys[p.order]) })
			from = to // which has no keys, or is past the end
		}
	}
	if p.filter == "" {
		return all
	}
	want := strings.ToLower(p.filter)
	return slices.DeleteFunc(all, func(l Line) bool { return l.Tone != Head && !strings.Contains(strings.ToLower(l.Text), want) })
}

// marks stand where a line has room for one, so that no tone is a colour alone.
var marks = map[Tone]string{Warn: "~", Bad: "!"}

func stylesFor(noColor bool) map[Tone]tcell.Style {
	plain := tcell.StyleDefault
	styles := map[Tone]tcell.Style{
		Head: plain.Bold(true), Good: plain.Foreground(tcell.ColorTeal), Warn: plain.Foreground(tcell.ColorOlive), Bad: plain.Foreground(tcell.ColorRed).Bold(true), Dim: plain.Dim(true),
	}
	if noColor {
		styles[Good], styles[Warn], styles[Bad] = plain, plain, plain.Bold(true)
	}
	return styles
}

// A row is what stands in one row of the terminal. What is at its right end stays
// whole where the text is cut.
type row struct {
	text, right string
	style       tcell.Style
}

// draw shows what fits of the page, and below it a line about the page. Only rows that
// are not as they were are written.
func (p *page) draw(s tcell.Screen) {
	width, height := s.Size()
	if width != p.width || height != len(p.drawn) {
		s.Clear()
		p.width, p.drawn = width, make([]row, height)
	}
	rows := p.shown(p.lines(), height)
	for y, r := range rows {
		if r != p.drawn[y] {
			put(s, y, width, r)
		}
	}
	p.drawn = rows
	s.Show()
}

// Below that many rows nothing but the line about the page stays in its place.
const low = 4

// shown is what stands in so many rows. A page that begins with a heading keeps it in
// the first one, and below it the heading of what has been scrolled to.
func (p *page) shown(all []Line, height int) []row {
	rows := make([]row, height)
	body, first := all, 0
	if height >= low && len(all) > 0 && all[0].Tone == Head {
		rows[0], body, first = p.row(all[0]), all[1:], 1
	}
	p.rows = max(0, height-1-first)
	p.step = max(1, p.rows)
	p.top = max(0, min(p.top, len(body)-p.rows))
	for i, l := range body[p.top:min(len(body), p.top+p.rows)] {
		rows[first+i] = p.row(l)
	}
	if h := heading(body, p.top); first > 0 && p.rows > 1 && h >= 0 {
		rows[first], p.step = p.row(body[h]), p.rows-1
	}
	if height > 0 {
		rows[height-1] = p.foot(len(body))
	}
	return rows
}

// heading is where the heading of a line stands, at it or above; -1 is nowhere.
func heading(all []Line, at int) int {
	for at = min(at, len(all)-1); at >= 0 && all[at].Tone != Head; {
		at--
	}
	return at
}

func (p *page) row(l Line) row { return row{text: p.text(l), style: p.styles[l.Tone]} }

// leastBeside is how many columns there are beside what is at the end of a row; with
// fewer it stands there alone.
const leastBeside = 6

// ellipsis ends a text that is cut off; ellipsisPlain where the terminal has it not.
const (
	ellipsis      = '…'
	ellipsisPlain = ">"
)

// put writes a row. A text that is too wide ends with an ellipsis.
func put(s tcell.Screen, y, width int, r row) {
	for x := range width {
		s.Put(x, y, " ", r.style)
	}
	if n := len(r.right); n > 0 && n+leastBeside <= width {
		s.PutStrStyled(width-n, y, r.right, r.style)
		width -= n + 1
	}
	for x, text := 0, r.text; text != ""; {
		rest, n := s.Put(x, y, text, r.style)
		if n == 0 { // the terminal has become narrower meanwhile
			return
		}
		if end := x + n; end > width || end == width && rest != "" {
			s.Put(x, y, string(ellipsis), r.style)
			return
		}
		x, text = x+n, rest
	}
}

// Below that many columns a line that is too wide is told without its padding.
const narrow = 40

// text is a line as it is shown, from the first column that is.
func (p *page) text(l Line) string {
	text := l.Text
	if mark := marks[l.Tone]; mark != "" && strings.HasPrefix(text, " ") {
		text = mark + text[1:]
	}
	if indent := len(text) - len(strings.TrimLeft(text, " ~!")); p.width < narrow && utf8.RuneCountInString(text) > p.width {
		text = text[:indent] + strings.Join(strings.Fields(text[indent:]), " ")
	}
	r := []rune(text)
	return string(r[min(len(r), p.left):])
}

// foot says whether the page is up to date and what keys there are, the most important
// first, and where in the page this is.
func (p *page) foot(lines int) row {
	r := row{style: tcell.StyleDefault.Reverse(true)}
	if p.rows > 0 && lines > p.rows {
		r.right = fmt.Sprintf("%d-%d of %d", p.top+1, min(lines, p.top+p.rows), lines)
	}
	switch {
	case p.typing:
		r.text = "filter: " + p.typed(p.width-len("filter: _ ")) + "_   Enter keeps it, Esc takes it away"
		r.right = ""
	case p.fault != "":
		r.text = "NOT UP TO DATE since " + p.at.Format("15:04:05") + ": " + p.fault
		if utf8.RuneCountInString(r.text)+1+len(r.right) > p.width {
			r.right = ""
		}
	case p.help:
		r.text = "arrows move, any other key goes back"
	default:
		r.text = strings.Join(p.says(), "   ")
	}
	return r
}

// says is what there is to be said of a page that is up to date, the most important first.
func (p *page) says() (all []string) {
	if p.paused {
		all = append(all, "PAUSED at "+p.at.Format("15:04:05")+", p goes on")
	}
	if p.filter != "" {
		all = append(all, "only "+strings.Map(plain, p.filter))
	}
	if p.order > 0 && p.order < len(p.frame.Orders) {
		all = append(all, "by "+p.frame.Orders[p.order])
	}
	if !p.paused {
		all = append(all, "q ends, ? tells the keys", fmt.Sprintf("every %s", p.every))
	}
	return all
}

// typed is the filter as it is typed, its end where there is no room for all of it.
func (p *page) typed(room int) string {
	r := []rune(p.filter)
	if len(r) <= room {
		return p.filter
	}
	return "…" + string(r[len(r)-max(0, room-1):])
}
