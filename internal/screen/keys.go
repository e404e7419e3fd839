package screen

import (
	"github.com/gdamore/tcell/v2"
)

// helpLines tell the keys, in lines that 40 columns have room for.
var helpLines = []Line{
	{Text: "KEYS", Tone: Head},
	{Text: "  arrows, j k  move"},
	{Text: "  PgUp PgDn    move by a page, space too"},
	{Text: "  Home End     move to an end"},
	{Text: "  /, f         show lines with words"},
	{Text: "  Esc          show all again, or end"},
	{Text: "  s, S         sort otherwise, and back"},
	{Text: "  p            pause, and go on"},
	{Text: "  r            look again now"},
	{Text: "  Ctrl-L       draw everything anew"},
	{Text: "  Ctrl-Z       stop; fg goes on"},
	{Text: "  ?, h         tell the keys"},
	{Text: "  q, Ctrl-C    end"},
	{Text: "MARKS", Tone: Head},
	{Text: "  something is wrong, or unreadable", Tone: Bad},
	{Text: "  something to look at", Tone: Warn},
}

// mostFilter bounds what a filter may be.
const mostFilter = 200

// answer does what an event asks for.
func (p *page) answer(s tcell.Screen, e tcell.Event) wish {
	switch e := e.(type) {
	case *tcell.EventResize:
		s.Sync()
	case *tcell.EventError:
		return end
	case *tcell.EventKey:
		switch {
		case e.Key() == tcell.KeyCtrlL:
			s.Sync()
			return nothing
		case e.Key() == tcell.KeyCtrlC, e.Key() == tcell.KeyCtrlD:
			return end
		case e.Key() == tcell.KeyCtrlZ:
			return halt
		case p.typing:
			p.edit(e)
			return nothing
		}
		return p.key(e)
	}
	return nothing
}

// edit takes a key of a filter.
func (p *page) edit(e *tcell.EventKey) {
	switch e.Key() {
	case tcell.KeyEnter:
		p.typing = false
	case tcell.KeyEscape:
		p.typing, p.filter = false, ""
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if r := []rune(p.filter); len(r) > 0 {
			p.filter = string(r[:len(r)-1])
		}
	case tcell.KeyCtrlU:
		p.filter = ""
	case tcell.KeyRune:
		if len(p.filter) < mostFilter {
			p.filter += string(e.Rune())
		}
	}
	p.top = 0
}

func (p *page) key(e *tcell.EventKey) wish {
	switch {
	case p.moved(e):
	case p.help:
		p.help, p.top = false, p.back
	case e.Key() == tcell.KeyEscape && p.filter == "":
		return end
	case e.Key() == tcell.KeyEscape:
		p.filter = ""
	case e.Key() == tcell.KeyRune:
		return p.letter(e.Rune())
	}
	return nothing
}

// moved does what a key does that moves; others it leaves alone.
func (p *page) moved(e *tcell.EventKey) bool {
	k := e.Key()
	if k == tcell.KeyRune {
		k = map[rune]tcell.Key{'k': tcell.KeyUp, 'j': tcell.KeyDown, ' ': tcell.KeyPgDn}[e.Rune()]
	}
	switch k {
	case tcell.KeyUp:
		p.top--
	case tcell.KeyDown:
		p.top++
	case tcell.KeyLeft:
		p.left = max(0, p.left-8)
	case tcell.KeyRight:
		p.left += 8
	case tcell.KeyPgUp:
		p.top -= p.step
	case tcell.KeyPgDn:
		p.top += p.step
	case tcell.KeyHome:
		p.top, p.left = 0, 0
	case tcell.KeyEnd:
		p.top = len(p.frame.Lines) + len(helpLines)
	default:
		return false
	}
	return true
}

func (p *page) letter(r rune) wish {
	switch r {
	case 'q', 'Q':
		return end
	case 'r', 'R':
		return again
	case '/', 'f':
		p.typing = true
	case 'p':
		p.paused = !p.paused
		if !p.paused {
			return again
		}
	case '?', 'h':
		p.help, p.back, p.top, p.left = true, p.top, 0, 0
	case 's':
		p.sort(1)
	case 'S':
		p.sort(-1)
	}
	return nothing
}

// sort goes on to the next order, or back to the last.
func (p *page) sort(by int) {
	if n := len(p.frame.Orders); n > 0 {
		p.order = (p.order + by + n) % n
	}
}
