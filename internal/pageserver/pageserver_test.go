package pageserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A trial is a site that is served, and what is counted of it.
type trial struct {
	url, port string
	tag       atomic.Value
	fails     atomic.Bool
	made      atomic.Int32
	stop      context.CancelFunc
	ended     chan error
}

func serve(t *testing.T) *trial {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	tr := &trial{url: "http://" + l.Addr().String() + "/", stop: cancel, ended: make(chan error, 1)}
	_, tr.port, _ = net.SplitHostPort(l.Addr().String())
	tr.tag.Store("one")
	s := &Site{
		Policy: "default-src 'none'",
		Tag:    func(context.Context) (string, error) { return tr.tag.Load().(string), nil },
		Page: func(context.Context) ([]byte, error) {
			if tr.fails.Load() {
				return nil, errors.New("the store is away")
			}
			tr.made.Add(1)
			return []byte("page " + tr.tag.Load().(string)), nil
		},
	}
	go func() { tr.ended <- s.Serve(ctx, l) }()
	t.Cleanup(cancel)
	return tr
}

// ask sends a request; headers are name, value and so on. Host is a header too.
func (tr *trial) ask(t *testing.T, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, tr.url+strings.TrimPrefix(path, "/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
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
	return res, string(body)
}

func TestListen(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:0", "127.0.0.1", "", "[::1%lo]:0", "localhost.example.com:0", "10.0.0.1:0", "[::ffff:10.0.0.1]:0"} {
		if l, err := Listen(addr); err == nil {
			l.Close()
			t.Errorf("%q is listened on", addr)
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "localhost:0", "127.0.0.2:0"} {
		l, err := Listen(addr)
		if err != nil {
			t.Errorf("%q: %v", addr, err)
			continue
		}
		l.Close()
	}
}

func TestWhoGetsThePage(t *testing.T) {
	tr := serve(t)
	for _, c := range []struct {
		claim        string
		method, path string
		headers      []string
		want         int
	}{
		{"who asks for it", "GET", "/", nil, 200},
		{"by another name of the machine", "GET", "/", []string{"Host", "localhost:" + tr.port}, 200},
		{"and its other address", "GET", "/", []string{"Host", "[::1]:" + tr.port}, 200},
		{"its head", "HEAD", "/", nil, 200},
		{"a name that was made to lead here", "GET", "/", []string{"Host", "evil.example:" + tr.port}, 421},
		{"one that looks like an address", "GET", "/", []string{"Host", "127.0.0.1.evil.example:" + tr.port}, 421},
		{"another port", "GET", "/", []string{"Host", "127.0.0.1:1"}, 421},
		{"none", "GET", "/", []string{"Host", "127.0.0.1"}, 421},
		{"an address of elsewhere", "GET", "/", []string{"Host", "10.0.0.1:" + tr.port}, 421},
		{"the page of another site", "GET", "/", []string{"Origin", "http://evil.example"}, 403},
		{"of a file", "GET", "/", []string{"Origin", "null"}, 403},
		{"its own", "GET", "/", []string{"Origin", "http://127.0.0.1:" + tr.port, "Sec-Fetch-Site", "same-origin"}, 200},
		{"an image of another site", "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, 403},
		{"another port's page", "GET", "/", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"}, 403},
		{"a frame in one", "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"who follows a link there", "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"nobody posts", "POST", "/", nil, 405},
		{"nor asks what may be", "OPTIONS", "/", []string{"Access-Control-Request-Method", "GET"}, 405},
		{"there is one page", "GET", "/etc/passwd", nil, 404},
		{"however it is spelled", "GET", "/../", nil, 404},
	} {
		res, body := tr.ask(t, c.method, c.path, c.headers...)
		if res.StatusCode != c.want {
			t.Errorf("%s: %d (%s), want %d", c.claim, res.StatusCode, strings.TrimSpace(body), c.want)
		}
		if strings.Contains(body, "page one") != (c.want == 200 && c.method == "GET") {
			t.Errorf("%s: the answer is %q", c.claim, body)
		}
		for name := range res.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s is allowed", c.claim, name)
			}
		}
		if res.Header.Get("Content-Security-Policy") == "" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: no policy", c.claim)
		}
	}
	if n := tr.made.Load(); n != 1 {
		t.Errorf("the page was made %d times", n)
	}
}

func TestThePageIsMadeWhenItIsAnotherOne(t *testing.T) {
	tr := serve(t)
	res, _ := tr.ask(t, "GET", "/")
	tag := res.Header.Get("ETag")
	if res, body := tr.ask(t, "GET", "/", "If-None-Match", tag); res.StatusCode != 304 || body != "" {
		t.Errorf("the same page is %d %q", res.StatusCode, body)
	}
	tr.tag.Store("two")
	if res, body := tr.ask(t, "GET", "/", "If-None-Match", tag); res.StatusCode != 200 || body != "page two" || res.Header.Get("ETag") == tag {
		t.Errorf("another is %d %q", res.StatusCode, body)
	}
	if n := tr.made.Load(); n != 2 {
		t.Errorf("it was made %d times", n)
	}
}

// An old page does not pass for a new one.
func TestWhatCannotBeMadeIsAnError(t *testing.T) {
	tr := serve(t)
	tr.ask(t, "GET", "/")
	tr.fails.Store(true)
	tr.tag.Store("two")
	if res, body := tr.ask(t, "GET", "/"); res.StatusCode != 503 || !strings.Contains(body, "the store is away") {
		t.Errorf("%d %q", res.StatusCode, body)
	}
	tr.fails.Store(false)
	if res, body := tr.ask(t, "GET", "/"); res.StatusCode != 200 || body != "page two" {
		t.Errorf("then %d %q", res.StatusCode, body)
	}
}

// Who opens connections and says nothing keeps nobody else out for long, and does not
// keep the server from ending.
func TestSilentConnectionsDoNotKeepItFromEnding(t *testing.T) {
	tr := serve(t)
	for range 8 {
		c, err := net.Dial("tcp", "127.0.0.1:"+tr.port)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	if res, _ := tr.ask(t, "GET", "/"); res.StatusCode != 200 {
		t.Error(res.Status)
	}
	tr.stop()
	select {
	case err := <-tr.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
	if _, err := net.Dial("tcp", "127.0.0.1:"+tr.port); err == nil {
		t.Error("somebody listens still")
	}
}

func TestOnlySoManyAreServedAtATime(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	few := &limited{l, make(chan struct{}, 1)}
	for range 2 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first, err := few.Accept()
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan struct{})
	go func() {
		if c, err := few.Accept(); err == nil {
			c.Close()
		}
		close(second)
	}()
	select {
	case <-second:
		t.Fatal("a second was let in")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	first.Close()
	<-second
}
