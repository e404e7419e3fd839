package screen

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/gdamore/tcell/v2"
)

// A page is a frame and where its user stands in it.
type page struct {
	frame Frame
	top   int // the first line that is shown
	rows  int // how many were shown last
	every time.Duration
	fault string // why the last look failed
}

func (p *page) take(l looked) {
	if l.err != nil {
		p.fault = strings.Map(plain, l.err.Error())
		return
	}
	p.frame, p.fault = l.frame, ""
}

// plain leaves out of somebody's words what a terminal might obey.
func plain(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}

// answer does what an event asks for.
func (p *page) answer(s tcell.Screen, e tcell.Event) wish {
	switch e := e.(type) {
	case *tcell.EventResize:
		s.Sync()
	case *tcell.EventError:
		return end
	case *tcell.EventKey:
		return p.key(e)
	}
	return nothing
}

func (p *page) key(e *tcell.EventKey) wish {
	switch e.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC, tcell.KeyCtrlD:
		return end
	case tcell.KeyUp:
		p.top--
	case tcell.KeyDown:
		p.top++
	case tcell.KeyPgUp:
		p.top -= max(1, p.rows)
	case tcell.KeyPgDn:
		p.top += max(1, p.rows)
	case tcell.KeyHome:
		p.top = 0
	case tcell.KeyEnd:
		p.top = len(p.frame.Lines)
	case tcell.KeyRune:
		switch e.Rune() {
		case 'q', 'Q':
			return end
		case 'r', 'R':
			return again
		case 'k':
			p.top--
		case 'j':
			p.top++
		case ' ':
			p.top += max(1, p.rows)
		}
	}
	return nothing
}

var styles = map[Tone]tcell.Style{
	Head: tcell.StyleDefault.Bold(true),
	Good: tcell.StyleDefault.Foreground(tcell.ColorGreen),
	Warn: tcell.StyleDefault.Foreground(tcell.ColorOlive),
	Bad:  tcell.StyleDefault.Foreground(tcell.ColorMaroon),
	Dim:  tcell.StyleDefault.Dim(true),
}

// draw shows what fits of the page, and below it a line about the page.
func (p *page) draw(s tcell.Screen) {
	s.Clear()
	_, height := s.Size()
	p.rows = max(0, height-1)
	p.top = max(0, min(p.top, len(p.frame.Lines)-p.rows))
	for y, l := range p.frame.Lines[p.top:min(len(p.frame.Lines), p.top+p.rows)] {
		s.PutStrStyled(0, y, l.Text, styles[l.Tone])
	}
	if height > 0 {
		s.PutStrStyled(0, height-1, p.foot(), tcell.StyleDefault.Reverse(true))
	}
	s.Show()
}

// foot says where in the page this is, and whether it is up to date.
func (p *page) foot() string {
	if p.fault != "" {
		return "NOT UP TO DATE: " + p.fault
	}
	text := fmt.Sprintf("every %s   q ends, r looks again", p.every)
	if len(p.frame.Lines) > p.rows {
		text += fmt.Sprintf(", arrows scroll   %d-%d of %d", p.top+1, min(len(p.frame.Lines), p.top+p.rows), len(p.frame.Lines))
	}
	return text
}
