package refstore

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A ClockReading is how far a server's clock is ahead of this machine's,
// negative when it is behind. It is not Known where no answer of the server
// carries a time.
type ClockReading struct {
	Known bool
	Ahead time.Duration
	By    string // what carried the time
}

// clock compares clocks by what the remote said of the time while it was asked:
// the Date of an HTTP answer, or when the file of the scratch ref was written,
// which counts where the remote is a folder.
func (p *prober) clock(ctx context.Context) ClockReading {
	if p.a.onThisMachine() {
		return p.fileClock()
	}
	return p.httpClock(ctx)
}

func (p *prober) fileClock() ClockReading {
	c, err := p.a.repo.Config()
	if err != nil {
		return ClockReading{}
	}
	dir := filepath.FromSlash(strings.TrimPrefix(c.Get("remote."+p.a.name+".url"), "file://"))
	for _, sub := range []string{"", ".git"} {
		if at := modified(dir, sub, filepath.FromSlash(p.a.ServerRef(Ref("meta", p.leaf)))); !at.IsZero() {
			return ClockReading{Known: true, Ahead: outside(at, p.began, p.ended), By: "the time of a file that the remote wrote"}
		}
	}
	return ClockReading{}
}

// outside is how far a time lies outside a stretch, 0 within it.
func outside(at, from, to time.Time) time.Duration {
	switch {
	case at.Before(from.Truncate(time.Second)): // a file system may keep whole seconds
		return at.Sub(from)
	case at.After(to):
		return at.Sub(to)
	}
	return 0
}

// httpClock has git write down the headers of its conversation. No other
// transport has any.
func (p *prober) httpClock(ctx context.Context) ClockReading {
	scratch, err := MakeScratch("probe")
	if err != nil {
		return ClockReading{}
	}
	defer func() { _ = scratch.Close() }()
	trace := filepath.Join(scratch.Dir, "trace")
	run := p.a.run.With("GIT_TRACE_CURL="+trace, "GIT_TRACE_CURL_NO_DATA=1", "GIT_TRACE_REDACT=1")
	from, err := p.a.source(ctx)
	if err != nil {
		return ClockReading{}
	}
	ctx, cancel := p.a.bounded(ctx, Query{})
	defer cancel()
	began := time.Now()
	if _, err := run.Output(ctx, "ls-remote", "--quiet", from, p.a.ServerRef(Ref("meta", p.leaf))); err != nil {
		return ClockReading{}
	}
	at := lastDate(trace)
	if at.IsZero() {
		return ClockReading{}
	}
	return ClockReading{Known: true, Ahead: outside(at, began, time.Now()), By: "the Date of an HTTP answer"}
}

// lastDate is the last Date that a server sent, by git's trace.
func lastDate(trace string) (at time.Time) {
	f, err := os.Open(trace)
	if err != nil {
		return at
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		_, header, ok := strings.Cut(lines.Text(), "Recv header: ")
		name, value, _ := strings.Cut(header, ":")
		if !ok || !strings.EqualFold(name, "date") {
			continue
		}
		if t, err := time.Parse(time.RFC1123, strings.TrimSpace(value)); err == nil {
			at = t
		}
	}
	return at
}
