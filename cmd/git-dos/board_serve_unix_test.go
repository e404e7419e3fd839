//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/browser"
)

// A boardServer is git dos board --serve on a repository of its own.
type boardServer struct {
	*exec.Cmd
	dir string
	env []string
	url string
}

func startBoard(t *testing.T) *boardServer {
	t.Helper()
	s := &boardServer{dir: t.TempDir()}
	s.env = append(os.Environ(), "HOME="+s.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@example.com", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@example.com")
	gitIn(t, s.dir, s.env, "init", "--quiet", "-b", "main")
	gitIn(t, s.dir, s.env, "commit", "--quiet", "--allow-empty", "-m", "root")
	s.Cmd = exec.Command("git-dos", "board", "--serve")
	s.Dir, s.Env = s.dir, s.env
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Fatalf("it prints %q: %v", line, err)
	}
	s.url = strings.TrimSpace(line)
	return s
}

func (s *boardServer) dos(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("git-dos", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git dos %v: %v\n%s", args, err, out)
	}
}

// The page that is served is the one of now, and an interrupt ends it with success.
func TestBoardServes(t *testing.T) {
	t.Parallel()
	s := startBoard(t)
	get := func(tag string) (status int, etag, page string) {
		r, _ := http.NewRequest("GET", s.url, nil)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header.Get("ETag"), string(body)
	}
	status, tag, page := get("")
	if status != 200 || strings.Contains(page, "<bdi>first</bdi>") || !strings.Contains(page, "connect-src &#39;self&#39;") {
		t.Errorf("%d %s", status, page)
	}
	s.dos(t, "lease", "acquire", "--lane", "first", "--tree", "first/**")
	if status, again, page := get(tag); status != 200 || again == tag || !strings.Contains(page, "<bdi>first</bdi>") {
		t.Errorf("after a lease: %d, tag %s after %s", status, again, tag)
	}
	began := time.Now()
	if err := s.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err != nil || time.Since(began) > 10*time.Second {
		t.Errorf("it ended with %v after %v", err, time.Since(began))
	}
}

// A page that is looked at follows the refs, and says when it cannot.
func TestBoardFollowsInABrowser(t *testing.T) {
	t.Parallel()
	p, err := browser.Open()
	if errors.Is(err, browser.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	s := startBoard(t)
	if err := p.Go(s.url); err != nil {
		t.Fatal(err)
	}
	within := func(what, expression string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(300 * time.Millisecond) {
			var ok bool
			if err := p.Eval(expression, &ok); err != nil {
				t.Fatal(err)
			}
			if ok {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("it never shows %s", what)
			}
		}
	}
	if err := p.Eval(`document.getElementById("filter").value = "sec"; document.getElementById("filter").dispatchEvent(new Event("input"))`, nil); err != nil {
		t.Fatal(err)
	}
	s.dos(t, "lease", "acquire", "--lane", "first", "--tree", "first/**")
	s.dos(t, "lease", "acquire", "--lane", "second", "--tree", "second/**")
	within("a new lane, still filtered", `[...document.querySelectorAll(".lane:not([hidden]) .name")].map(e => e.textContent).join() == "second"`)
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("the console says %q", faults)
	}
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	within("that it is old", `document.getElementById("fault").textContent.startsWith("Not up to date")`)
}
