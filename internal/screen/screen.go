// Package screen keeps a page of text on a terminal and up to date.
//
// It knows nothing of what it shows: its caller hands it lines, each with a
// tone. The text must be fit for a terminal already. What is looked at takes as
// long as it takes, and keys are answered meanwhile. When a look fails the page
// stays as it was, and says since when it is old and why.
package screen

import (
	"context"
	"fmt"
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

// A Line is one line of a page.
type Line struct {
	Text string
	Tone Tone
}

// A Frame is one page.
type Frame struct{ Lines []Line }

// Look makes the page anew.
type Look func(context.Context) (Frame, error)

// Show keeps the page of look on the terminal of this process, made anew every
// so often, until its user ends it. The error of a first look that fails is
// returned before anything is drawn. The terminal is as it was when Show
// returns, whatever ended it.
func Show(ctx context.Context, every time.Duration, look Look) error {
	first, err := look(ctx)
	if err != nil {
		return err
	}
	s, err := tcell.NewScreen()
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	return show(ctx, s, every, first, look)
}

func show(ctx context.Context, s tcell.Screen, every time.Duration, first Frame, look Look) error {
	if err := s.Init(); err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer s.Fini()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, quit := make(chan tcell.Event), make(chan struct{})
	defer close(quit)
	go s.ChannelEvents(events, quit)
	p := page{frame: first, every: every}
	looks := make(chan looked, 1) // one at a time, so that it never blocks
	looking := false
	begin := func() {
		if !looking {
			looking = true
			go func() {
				f, err := look(ctx)
				looks <- looked{f, err}
			}()
		}
	}
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		p.draw(s)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticks.C:
			begin()
		case l := <-looks:
			looking = false
			p.take(l)
		case e, ok := <-events:
			if !ok {
				return nil
			}
			switch p.answer(s, e) {
			case end:
				return nil
			case again:
				begin()
			}
		}
	}
}

// A looked is what came of a look.
type looked struct {
	frame Frame
	err   error
}

// A wish is what an event asks for beyond the page.
type wish int

const (
	nothing wish = iota
	again        // look again
	end          // end
)
