package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gdamore/tcell/v2"
)

// A page is a frame and where its user stands in it.
type page struct {
	frame  Frame
	at     time.Time // when it was looked at
	every  time.Duration
	styles map[Tone]tcell.Style
	fault  string // why the last look failed

	top, left int // the first line and column that are shown
	rows      int // how many lines were shown last
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

// A row is what stands in one row of the terminal.
type row struct {
	text  string
	style tcell.Style
}

// draw shows what fits of the page, and below it a line about the page. Only rows that
// are not as they were are written.
func (p *page) draw(s tcell.Screen) {
	width, height := s.Size()
	all := p.lines()
	p.rows = max(0, height-1)
	p.top = max(0, min(p.top, len(all)-p.rows))
	rows := make([]row, height)
	for y, l := range all[p.top:min(len(all), p.top+p.rows)] {
		rows[y] = row{p.text(l), p.styles[l.Tone]}
	}
	if height > 0 {
		rows[height-1] = row{p.foot(len(all)), tcell.StyleDefault.Reverse(true)}
	}
	if width != p.width || height != len(p.drawn) {
		s.Clear()
		p.width, p.drawn = width, make([]row, height)
	}
	for y, r := range rows {
		if r == p.drawn[y] {
			continue
		}
		for x := range width {
			s.SetContent(x, y, ' ', nil, tcell.StyleDefault)
		}
		s.PutStrStyled(0, y, r.text, r.style)
	}
	p.drawn = rows
	s.Show()
}

// text is a line as it is shown, from the first column that is.
func (p *page) text(l Line) string {
	text := l.Text
	if mark := marks[l.Tone]; mark != "" && strings.HasPrefix(text, " ") {
		text = mark + text[1:]
	}
	if p.left == 0 {
		return text
	}
	r := []rune(text)
	return string(r[min(len(r), p.left):])
}

// foot says where in the page this is, and whether it is up to date.
func (p *page) foot(lines int) string {
	switch {
	case p.typing:
		return "filter: " + p.filter + "_   Enter keeps it, Esc takes it away"
	case p.fault != "":
		return "NOT UP TO DATE since " + p.at.Format("15:04:05") + ": " + p.fault
	case p.help:
		return "any key goes back"
	}
	text := fmt.Sprintf("every %s   q ends, ? tells the keys", p.every)
	if p.paused {
		text = "PAUSED at " + p.at.Format("15:04:05") + "   p goes on"
	}
	if p.order > 0 && p.order < len(p.frame.Orders) {
		text += "   by " + p.frame.Orders[p.order]
	}
	if p.filter != "" {
		text += "   only " + strings.Map(plain, p.filter)
	}
	if lines > p.rows {
		text += fmt.Sprintf("   %d-%d of %d", p.top+1, min(lines, p.top+p.rows), lines)
	}
	return text
}
