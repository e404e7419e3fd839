// Package screen keeps a page of text on a terminal and up to date.
//
// It knows nothing of what it shows: its caller hands it lines, each with a
// tone. The text must be fit for a terminal already. What is looked at takes as
// long as it takes, and keys are answered meanwhile. When a look fails the page
// stays as it was, and says since when it is old and why.
//
// No tone is told by its colour alone: a line that asks for attention has a mark
// before it. Only what changed is written to the terminal, and the terminal is as it
// was when the page ends, whatever ended it, or while it is stopped.
package screen

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gdamore/tcell/v2"
)

// A Tone is how a line stands out.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Head
	Good
	Warn
	Bad
	Dim
)

// A Line is one line of a page. Lines with keys that stand side by side can be put
// in another order: that of their keys, the first of which is for the first order of
// the frame. A line that begins with a space has room for a mark there.
type Line struct {
	Text string
	Tone Tone
	Keys []string
}

// A Frame is one page, and by what its lines can be sorted.
type Frame struct {
	Lines  []Line
	Orders []string
}

// Look makes the page anew.
type Look func(context.Context) (Frame, error)

// Options say how a page is kept.
type Options struct {
	Every   time.Duration // how often it is made anew
	NoColor bool
}

// Show keeps the page of look on the terminal of this process, until its user ends
// it. The error of a first look that fails is returned before anything is drawn.
func Show(ctx context.Context, o Options, look Look) error {
	first, err := look(ctx)
	if err != nil {
		return err
	}
	s, err := tcell.NewScreen()
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	return show(ctx, s, o, first, look)
}

// start takes the terminal over, and has it show what it lacks by what it has.
func start(s tcell.Screen) error {
	if err := s.Init(); err != nil {
		return err
	}
	s.RegisterRuneFallback(ellipsis, ellipsisPlain)
	return nil
}

func show(ctx context.Context, s tcell.Screen, o Options, first Frame, look Look) error {
	if err := start(s); err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer s.Fini()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, quit := make(chan tcell.Event), make(chan struct{})
	defer close(quit)
	go s.ChannelEvents(events, quit)
	p := page{frame: first, every: o.Every, styles: stylesFor(o.NoColor), at: time.Now()}
	looks := make(chan looked, 1) // one at a time, so that it never blocks
	looking := false
	begin := func() {
		if !looking {
			looking = true
			go func() { looks <- lookOnce(ctx, look) }()
		}
	}
	ticks := time.NewTicker(o.Every)
	defer ticks.Stop()
	stops, ignore := stopSignals()
	defer ignore()
	for {
		p.draw(s)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticks.C:
			if !p.paused {
				begin()
			}
		case l := <-looks:
			looking = false
			p.take(l)
		case <-stops:
			if err := p.stop(s); err != nil {
				return err
			}
		case e, ok := <-events:
			if !ok {
				return nil
			}
			switch p.answer(s, e) {
			case end:
				return nil
			case again:
				begin()
			case halt:
				if err := p.stop(s); err != nil {
					return err
				}
			}
		}
	}
}

// A looked is what came of a look.
type looked struct {
	frame Frame
	err   error
	at    time.Time
	panic string // it panicked, and how
}

// lookOnce looks. A panic is carried to where the terminal is given back first.
func lookOnce(ctx context.Context, look Look) (l looked) {
	defer func() {
		if v := recover(); v != nil {
			l.panic = fmt.Sprintf("%v\n%s", v, debug.Stack())
		}
	}()
	l.at = time.Now()
	l.frame, l.err = look(ctx)
	return l
}

// stop gives the terminal back, stops this job as the terminal would have, and takes
// the terminal again when the job goes on.
func (p *page) stop(s tcell.Screen) error {
	if err := s.Suspend(); err != nil {
		return fmt.Errorf("give the terminal back: %w", err)
	}
	stopJob()
	if err := s.Resume(); err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	p.drawn = nil // nothing stands there any more
	return nil
}

// A wish is what an event asks for beyond the page.
type wish int

const (
	nothing wish = iota
	again        // look again
	end          // end
	halt         // stop the job
)
