package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// A screened pair of streams passes whole messages on to the server, one in a
// line. What is too long or no JSON object is answered here and not passed on,
// so that one bad line does not end the session.
type screened struct {
	*io.PipeReader // what is passed on
	in             io.Closer
	once           sync.Once
	out            io.Writer

	mu      sync.Mutex // of what follows, and of out
	end     error
	open    map[any]bool  // the ids of requests that were passed on and not answered yet
	settled chan struct{} // closed when in has ended and none is open
	over    bool
}

// parting is how long requests may still be answered when in has ended.
const parting = 2 * time.Second

// screen begins to read in. It stops when in ends or the pair is closed.
func screen(in io.ReadCloser, out io.Writer) *screened {
	r, w := io.Pipe()
	s := &screened{PipeReader: r, in: in, out: out, open: map[any]bool{}, settled: make(chan struct{})}
	go func() { w.CloseWithError(s.pass(in, w)) }()
	return s
}

// Write writes one message to the client.
func (s *screened) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.out.Write(data)
	var m message
	if json.Unmarshal(data, &m) == nil && m.Method == nil && m.ID != nil {
		delete(s.open, m.id())
		s.settle()
	}
	return n, err
}

// settle tells that nothing is to be waited for, once that is so.
func (s *screened) settle() {
	if s.over && len(s.open) == 0 {
		s.over = false
		close(s.settled)
	}
}

// ended waits for the answers that are still to come when in has ended.
func (s *screened) ended(err error) {
	s.mu.Lock()
	if !errors.Is(err, io.EOF) {
		s.end = err
	}
	s.over = true
	s.settle()
	s.mu.Unlock()
	select {
	case <-s.settled:
	case <-time.After(parting):
	}
}

// Close ends the reading.
func (s *screened) Close() error {
	s.once.Do(func() {
		s.PipeReader.Close()
		s.in.Close() // it is only read
	})
	return nil
}

// failed is why in could not be read to its end.
func (s *screened) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

func (s *screened) pass(in io.Reader, to io.Writer) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, long, err := readLine(lines)
		if len(bytes.TrimSpace(line)) > 0 || long {
			m, code, why := fit(line, long)
			if why != "" {
				s.reject(code, why)
			} else if err := s.forward(line, m, to); err != nil {
				return err
			}
		}
		if err != nil {
			s.ended(err)
			return io.EOF
		}
	}
}

func (s *screened) forward(line []byte, m message, to io.Writer) error {
	if m.Method != nil && m.ID != nil {
		s.mu.Lock()
		twice := s.open[m.id()]
		s.open[m.id()] = true
		s.mu.Unlock()
		if twice {
			s.reject(-32600, "the id is that of a request that is not answered yet")
			return nil
		}
	}
	_, err := to.Write(append(bytes.TrimSpace(line), '\n'))
	return err
}

// readLine reads to the end of a line. Of one that is too long it keeps nothing.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > MaxMessage {
			line, long = nil, true
		}
		if !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// A message is what tells requests from responses.
type message struct {
	Version string           `json:"jsonrpc"`
	ID      json.RawMessage  `json:"id"`
	Method  *json.RawMessage `json:"method"`
	Result  *json.RawMessage `json:"result"`
	Error   *json.RawMessage `json:"error"`
}

// id is a text or a whole number; nil is neither.
func (m message) id() any {
	var text *string
	if json.Unmarshal(m.ID, &text) == nil && text != nil {
		return *text
	}
	var number *int64
	if json.Unmarshal(m.ID, &number) == nil && number != nil {
		return *number
	}
	return nil
}

// fit reads a line. Why it is not passed on is told as JSON-RPC numbers it.
func fit(line []byte, long bool) (m message, code int, why string) {
	line = bytes.TrimSpace(line)
	switch {
	case long:
		return m, -32600, fmt.Sprintf("the message has more than %d bytes", MaxMessage)
	case !json.Valid(line):
		return m, -32700, "the message is no JSON"
	case line[0] == '[':
		return m, -32600, "messages are sent one by one"
	case line[0] != '{':
		return m, -32600, "the message is no object"
	}
	var method string
	switch err := json.Unmarshal(line, &m); {
	case err != nil || m.Version != "2.0":
		return m, -32600, `the message has no "jsonrpc": "2.0"`
	case m.Method == nil && m.Result == nil && m.Error == nil:
		return m, -32600, "the message is no request and no response"
	case m.Method != nil && json.Unmarshal(*m.Method, &method) != nil:
		return m, -32600, "the method is no text"
	case m.Method != nil && m.ID != nil && m.id() == nil:
		return m, -32600, "the id is no text and no whole number of 64 bits"
	}
	return m, 0, ""
}

// reject answers a message of which it is not known whose it is.
func (s *screened) reject(code int, why string) {
	data, _ := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why},
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.Write(append(data, '\n')) // a client that has left is seen at the next read
}
