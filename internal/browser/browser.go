//go:build unix

// Package browser drives a headless Chromium, for the tests of pages.
//
// It speaks the browser's own protocol over a pipe, so that it needs no port and no
// library. Whoever has no browser is told which package to install.
package browser

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrNone means that there is no browser on the path.
var ErrNone = errors.New("no browser found: install the package chromium")

var names = []string{"chromium", "chromium-browser", "google-chrome"}

// A Page is one page of a browser of its own.
type Page struct {
	cmd  *exec.Cmd
	to   *os.File
	from *bufio.Reader
	home string

	session string
	last    int
	mu      sync.Mutex
	waiting map[int]chan reply
	faults  []string // what the console and the page's policy complained of
	loaded  chan struct{}
}

type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Open starts a browser with an empty page. It must be closed.
func Open() (*Page, error) {
	path := ""
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		return nil, ErrNone
	}
	home, err := os.MkdirTemp("", "git-dos-browser-")
	if err != nil {
		return nil, err
	}
	p := &Page{home: home, waiting: map[int]chan reply{}, loaded: make(chan struct{}, 16)}
	if err := p.start(path); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Page) start(path string) error {
	in, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return err
	}
	p.to, p.from = to, bufio.NewReader(from)
	p.cmd = exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
		"--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe", "--user-data-dir="+p.home, "about:blank")
	p.cmd.Env = append(os.Environ(), "HOME="+p.home)
	p.cmd.ExtraFiles = []*os.File{in, out}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = p.cmd.Start()
	_ = in.Close()
	_ = out.Close()
	if err != nil {
		p.cmd = nil
		return err
	}
	go p.read()
	return p.attach()
}

func (p *Page) attach() error {
	var targets struct {
		TargetInfos []struct{ TargetID, Type string } `json:"targetInfos"`
	}
	for range 100 {
		if err := p.call("Target.getTargets", nil, &targets); err != nil {
			return err
		}
		for _, t := range targets.TargetInfos {
			if t.Type != "page" {
				continue
			}
			var s struct{ SessionID string }
			if err := p.call("Target.attachToTarget", map[string]any{"targetId": t.TargetID, "flatten": true}, &s); err != nil {
				return err
			}
			p.session = s.SessionID
			for _, domain := range []string{"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"} {
				if err := p.call(domain, nil, nil); err != nil {
					return err
				}
			}
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("the browser shows no page")
}

// read takes what the browser says.
func (p *Page) read() {
	for {
		data, err := p.from.ReadBytes(0)
		if err != nil {
			p.mu.Lock()
			for id, w := range p.waiting {
				close(w)
				delete(p.waiting, id)
			}
			p.mu.Unlock()
			return
		}
		var r reply
		if json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &r) != nil {
			continue
		}
		p.take(r)
	}
}

func (p *Page) take(r reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.ID != 0 && p.waiting[r.ID] != nil:
		p.waiting[r.ID] <- r
		delete(p.waiting, r.ID)
	case r.Method == "Page.loadEventFired":
		select {
		case p.loaded <- struct{}{}:
		default:
		}
	case r.Method == "Runtime.exceptionThrown", r.Method == "Log.entryAdded", r.Method == "Runtime.consoleAPICalled":
		p.faults = append(p.faults, string(r.Params))
	}
}

// call sends a command and waits for its answer.
func (p *Page) call(method string, params, result any) error {
	p.mu.Lock()
	p.last++
	id := p.last
	answer := make(chan reply, 1)
	p.waiting[id] = answer
	p.mu.Unlock()
	msg := map[string]any{"id": id, "method": method}
	if params != nil {
		msg["params"] = params
	}
	if p.session != "" {
		msg["sessionId"] = p.session
	}
	data, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	if _, err := p.to.Write(append(data, 0)); err != nil {
		return err
	}
	select {
	case r, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: the browser has ended", method)
		case r.Error != nil:
			return fmt.Errorf("%s: %s", method, r.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(r.Result, result)
	case <-time.After(time.Minute):
		return fmt.Errorf("%s: no answer", method)
	}
}

// Go opens an address and waits until it is loaded.
func (p *Page) Go(url string) error {
	for len(p.loaded) > 0 {
		<-p.loaded
	}
	if err := p.call("Page.navigate", map[string]any{"url": url}, nil); err != nil {
		return err
	}
	select {
	case <-p.loaded:
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("%s was not loaded", url)
	}
}

// Size makes the window so wide and high.
func (p *Page) Size(width, height int) error {
	return p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Dark has pages shown for those who like it dark, or not.
func (p *Page) Dark(dark bool) error { return p.media("screen", dark) }

// Print has pages shown as they are printed, for those who like it dark.
func (p *Page) Print() error { return p.media("print", true) }

func (p *Page) media(kind string, dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	return p.call("Emulation.setEmulatedMedia", map[string]any{"media": kind, "features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Scripts lets the pages that are opened from now on run theirs, or not.
func (p *Page) Scripts(run bool) error {
	return p.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": !run}, nil)
}

// Eval evaluates an expression, awaits it where it is a promise, and reads its value.
func (p *Page) Eval(expression string, value any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := p.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r); err != nil {
		return err
	}
	if x := r.ExceptionDetails; x != nil {
		return fmt.Errorf("%.80s: %s %s", expression, x.Text, x.Exception.Description)
	}
	if value == nil || len(r.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(r.Result.Value, value)
}

// Shot is a picture of what is in the window, or of the whole page, as PNG.
func (p *Page) Shot(whole bool) ([]byte, error) {
	var r struct{ Data string }
	if err := p.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &r); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(r.Data)
}

// Faults are what the console told so far.
func (p *Page) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.faults...)
}

// Close ends the browser and all it started.
func (p *Page) Close() {
	if p.cmd != nil {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		_ = p.cmd.Wait()
	}
	if p.to != nil {
		_ = p.to.Close()
	}
	if strings.Contains(p.home, "git-dos-browser-") {
		_ = os.RemoveAll(p.home)
	}
}
