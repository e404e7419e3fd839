// Package observe remembers when this node first saw what stands on a ref, so
// that "it has not moved for so long" can be said without trusting the clock of
// whoever moved it last.
//
// The memory is one small file. Losing it, or part of it, costs waiting and
// nothing else, so processes that write at the same time do not wait for each
// other: what one of them forgets was seen later than it could have been.
package observe

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
)

// Bounds of a memory. One that is larger is not ours.
const (
	maxFile = 4 << 20
	maxRefs = 10_000
	version = 1
)

// A Store is the memory of one authority's refs.
type Store struct{ path string }

// At is the store in a file, which need not exist.
func At(path string) Store { return Store{path} }

// memory is what the file holds: of one boot, by name what stood there and when
// it was first seen to.
type memory struct {
	V    int              `json:"v"`
	Boot string           `json:"boot"`
	Seen map[string]sight `json:"seen"`
}

type sight struct {
	Tip string `json:"tip"`
	At  int64  `json:"at_ns"`
}

// Watch notes what a read has shown, and returns how long each tip had been known
// to stand when the read began; a tip that is new, or of which nothing is known,
// has stood for no time. The read began not before from and was over by to. tips
// are all that are watched: what is not among them is forgotten.
//
// An error means that nothing could be noted. What is returned with it is right.
func (s Store) Watch(from, to lease.Instant, tips map[string]string) (map[string]time.Duration, error) {
	known := s.read()
	if known.Boot != to.Boot {
		known = memory{Boot: to.Boot}
	}
	stood := make(map[string]time.Duration, len(tips))
	next := memory{V: version, Boot: to.Boot, Seen: make(map[string]sight, len(tips))}
	fresh := false
	for name, tip := range tips {
		was, ok := known.Seen[name]
		if !ok || was.Tip != tip || was.At < 0 || was.At > to.At {
			fresh = true
			if len(next.Seen) < maxRefs {
				next.Seen[name] = sight{tip, to.At}
			}
			continue
		}
		next.Seen[name] = was
		if d, ok := from.Since(lease.Instant{Boot: known.Boot, At: was.At}); ok {
			stood[name] = d
		}
	}
	if !fresh || to.Boot == "" {
		return stood, nil
	}
	return stood, s.write(next)
}

// read returns what is remembered, nothing when it cannot be read: an unreadable
// memory is as good as none.
func (s Store) read() memory {
	if st, err := os.Stat(s.path); err != nil || !st.Mode().IsRegular() {
		return memory{}
	}
	f, err := os.Open(s.path)
	if err != nil {
		return memory{}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	var m memory
	if err != nil || len(data) > maxFile || json.Unmarshal(data, &m) != nil || m.V != version {
		return memory{}
	}
	return m
}

// write replaces the file in one step: a reader sees all of the old one or all of
// the new one.
func (s Store) write(m memory) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// By the number of the process: what a killed one leaves, the next of its
	// number takes.
	tmp := fmt.Sprintf("%s.%d", s.path, os.Getpid())
	if err = os.WriteFile(tmp, append(data, '\n'), 0o600); err == nil {
		err = os.Rename(tmp, s.path)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}
