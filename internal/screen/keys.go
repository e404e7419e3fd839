package screen

import (
	"github.com/gdamore/tcell/v2"
)

// helpLines tell the keys.
var helpLines = []Line{
	{Text: "KEYS", Tone: Head},
	{Text: "  arrows, j k, space, PgUp PgDn, Home End   move"},
	{Text: "  / or f      show only lines with some words; Esc shows all again"},
	{Text: "  s, S        sort by the next thing, the last one"},
	{Text: "  p           pause, and go on"},
	{Text: "  r           look again now"},
	{Text: "  Ctrl-L      draw everything anew"},
	{Text: "  Ctrl-Z      stop; fg goes on"},
	{Text: "  q, Ctrl-C   end"},
	{Text: "MARKS", Tone: Head},
	{Text: "  something is wrong, or cannot be read", Tone: Bad},
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
			p.typed(e)
			return nothing
		}
		return p.key(e)
	}
	return nothing
}

// typed takes a key of a filter.
func (p *page) typed(e *tcell.EventKey) {
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
	if p.help {
		p.help = false
		return nothing
	}
	switch e.Key() {
	case tcell.KeyEscape:
		if p.filter == "" {
			return end
		}
		p.filter = ""
	case tcell.KeyUp:
		p.top--
	case tcell.KeyDown:
		p.top++
	case tcell.KeyLeft:
		p.left = max(0, p.left-8)
	case tcell.KeyRight:
		p.left += 8
	case tcell.KeyPgUp:
		p.top -= max(1, p.rows)
	case tcell.KeyPgDn:
		p.top += max(1, p.rows)
	case tcell.KeyHome:
		p.top, p.left = 0, 0
	case tcell.KeyEnd:
		p.top = len(p.frame.Lines)
	case tcell.KeyRune:
		return p.letter(e.Rune())
	}
	return nothing
}

func (p *page) letter(r rune) wish {
	switch r {
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
	case '/', 'f':
		p.typing = true
	case 'p':
		p.paused = !p.paused
		if !p.paused {
			return again
		}
	case '?', 'h':
		p.help = true
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
