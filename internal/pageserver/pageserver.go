// Package pageserver shows one page to the browsers of this machine, and to nobody
// else.
//
// It listens on a loopback address alone, and answers only who asked for that: a name
// that was made to lead here, or another site's page, gets nothing. It reads and
// writes nothing itself. The page is made when somebody asks and it would be another
// one than the last; one that cannot be made is an error, and never the last one.
package pageserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// A Site is the page.
type Site struct {
	Policy string // what the page may do, as its header says

	// Tag tells cheaply what the page would be made of: it is made anew when that
	// is not as it was.
	Tag  func(context.Context) (string, error)
	Page func(context.Context) ([]byte, error)

	turn chan struct{} // held by whoever looks
	tag  string
	page []byte
}

// mostConnections bounds who is served at a time.
const mostConnections = 32

// Listen opens an address of the loopback interface, HOST:PORT; port 0 is any that is
// free.
func Listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is no HOST:PORT", addr)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() || ip.Zone() != "" {
		return nil, fmt.Errorf("%q is no address of this machine alone", host)
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// Serve serves the page until ctx ends. Who is being answered then has a moment.
func (s *Site) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.Handler(l.Addr()), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 2 * time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(&limited{l, make(chan struct{}, mostConnections)}) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Handler answers what was asked of an address.
func (s *Site) Handler(at net.Addr) http.Handler {
	s.turn = make(chan struct{}, 1)
	_, port, _ := net.SplitHostPort(at.String())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, h := range [][2]string{
			{"Content-Security-Policy", s.Policy}, {"X-Content-Type-Options", "nosniff"}, {"Referrer-Policy", "no-referrer"}, {"X-Frame-Options", "DENY"},
			{"Cross-Origin-Resource-Policy", "same-origin"}, {"Cross-Origin-Opener-Policy", "same-origin"}, {"Cache-Control", "no-cache, private"},
		} {
			w.Header().Set(h[0], h[1])
		}
		switch {
		case !ownHost(r.Host, port):
			refuse(w, http.StatusMisdirectedRequest, "this server answers to its own address alone")
		case foreign(r):
			refuse(w, http.StatusForbidden, "another site asks, and gets nothing")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "there is nothing to change here")
		case r.URL.Path != "/":
			refuse(w, http.StatusNotFound, "there is one page, /")
		default:
			s.answer(w, r)
		}
	})
}

// ownHost reports whether a request names the address that was listened on. A name of
// somebody's that leads to this machine is not one.
func ownHost(host, port string) bool {
	name, p, err := net.SplitHostPort(host)
	if err != nil {
		name, p = host, "80"
	}
	if p != port {
		return false
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && ip.IsLoopback() && ip.Zone() == "" || strings.EqualFold(name, "localhost")
}

// foreign reports whether the page of another site asks. A person who follows a link
// from there may.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

func refuse(w http.ResponseWriter, code int, why string) { http.Error(w, why, code) }

func (s *Site) answer(w http.ResponseWriter, r *http.Request) {
	tag, page, err := s.look(r.Context())
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", fmt.Sprint(len(page)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(page)
	}
}

// look returns the page as it is now. One request looks at a time.
func (s *Site) look(ctx context.Context) (tag string, page []byte, err error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
	of, err := s.Tag(ctx)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256([]byte(of))
	tag = `"` + hex.EncodeToString(sum[:16]) + `"`
	if tag != s.tag {
		if page, err = s.Page(ctx); err != nil {
			return "", nil, err
		}
		s.tag, s.page = tag, page
	}
	return s.tag, s.page, nil
}

// limited accepts so many connections at a time, and lets others wait.
type limited struct {
	net.Listener
	room chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	l.room <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &counted{Conn: c, room: l.room}, nil
}
