package ledger

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// reversed visits in the opposite order of walk, by way of a file: memory does
// not grow with what is walked. Nothing is visited of a walk that fails.
func reversed(ctx context.Context, walk func(func(Entry) bool) error, visit func(Entry) bool) error {
	f, err := os.CreateTemp("", "git-dos-ledger-")
	if err != nil {
		return fmt.Errorf("oldest first: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	_ = os.Remove(f.Name()) // where an open file can go, a killed process leaves none
	s := spool{file: f, w: bufio.NewWriterSize(f, 64<<10)}
	if err := walk(func(e Entry) bool {
		err = s.push(e)
		return err == nil
	}); err != nil {
		return err
	}
	if err == nil {
		err = s.w.Flush()
	}
	for err == nil && s.size > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var e Entry
		if e, err = s.pop(); err == nil && !visit(e) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("oldest first: %w", err)
	}
	return nil
}

// A spool is a stack of entries in a file: each is followed by its length.
type spool struct {
	file *os.File
	w    *bufio.Writer
	size int64

	page []byte // of the file, from start on, read last
	at   int64
}

func (s *spool) push(e Entry) error {
	payload := e.Payload
	e.Payload = nil
	about, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var tail [8]byte
	binary.BigEndian.PutUint32(tail[:4], uint32(len(payload)))
	binary.BigEndian.PutUint32(tail[4:], uint32(len(about)))
	for _, part := range [][]byte{payload, about, tail[:]} {
		n, err := s.w.Write(part)
		if s.size += int64(n); err != nil {
			return err
		}
	}
	return nil
}

func (s *spool) pop() (e Entry, err error) {
	tail, err := s.take(8)
	if err != nil {
		return e, err
	}
	long, short := binary.BigEndian.Uint32(tail[:4]), binary.BigEndian.Uint32(tail[4:])
	about, err := s.take(int64(short))
	if err == nil {
		err = json.Unmarshal(about, &e)
	}
	if err != nil {
		return e, err
	}
	payload, err := s.take(int64(long))
	e.Payload = append([]byte(nil), payload...)
	return e, err
}

// pageSize is how much of the file is read at a time.
const pageSize = 256 << 10

// take returns the last n bytes and takes them off. They are good until the
// next take.
func (s *spool) take(n int64) ([]byte, error) {
	if n > s.size {
		return nil, io.ErrUnexpectedEOF
	}
	start := s.size - n
	if start < s.at || s.page == nil {
		s.at = max(0, s.size-max(n, pageSize))
		s.page = append(s.page[:0], make([]byte, s.size-s.at)...)
		if _, err := s.file.ReadAt(s.page, s.at); err != nil {
			return nil, err
		}
	}
	s.size = start
	return s.page[start-s.at : start-s.at+n], nil
}
