// Package runid names runs.
//
// A run id is the start of a run in milliseconds followed by random bits, both
// written in an alphabet whose byte order is its numeric order. Sorting ids as
// bytes therefore sorts runs by start time, and two runs of one millisecond
// differ by chance alone. The alphabet leaves out I, L, O and U, which are
// easily misread.
//
// The package neither reads a clock nor draws random bits: both are arguments.
// An id proves nothing about who made it, so nothing may rest on its time.
package runid

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	prefix   = "RID-"
	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

	timeDigits    = 9 // 45 bits
	entropyDigits = 6 // 30 bits
	digits        = timeDigits + entropyDigits

	// MaxMillis is the last millisecond an id can name, in the year 3084.
	MaxMillis = 1<<(5*timeDigits) - 1

	processPrefix = "PROC-"
	maxProcess    = 200
)

// ErrTime means the time is before 1970 or after MaxMillis.
var ErrTime = errors.New("the time is outside what a run id can name")

// A Record is a new run and where it comes from. The root of a run without
// ancestors is the run itself.
type Record struct {
	RunID     string  `json:"run_id"`
	ProcessID string  `json:"process_id"`
	ParentID  *string `json:"parent_id"`
	RootID    string  `json:"root_id"`
	Millis    int64   `json:"ts_ms"`
}

// A Lineage says what a new run belongs to. Process is required; Parent and
// Root are run ids, or empty.
type Lineage struct {
	Process string
	Parent  string
	Root    string
}

// Mint makes the record of a run that starts at ms, in Unix milliseconds. Only
// the low 30 bits of entropy count.
func Mint(ms int64, entropy uint32, l Lineage) (Record, error) {
	if ms < 0 || ms > MaxMillis {
		return Record{}, ErrTime
	}
	process, err := processID(l.Process)
	if err != nil {
		return Record{}, err
	}
	r := Record{RunID: encode(ms, entropy), ProcessID: process, Millis: ms}
	r.RootID = r.RunID
	if l.Parent != "" {
		if _, ok := Decode(l.Parent); !ok {
			return Record{}, fmt.Errorf("parent %q is not a run id", l.Parent)
		}
		r.ParentID = &l.Parent
	}
	if l.Root != "" {
		if _, ok := Decode(l.Root); !ok {
			return Record{}, fmt.Errorf("root %q is not a run id", l.Root)
		}
		r.RootID = l.Root
	}
	return r, nil
}

// ChildOf is the lineage of a run that parent starts.
func ChildOf(parent Record, process string) Lineage {
	return Lineage{Process: process, Parent: parent.RunID, Root: parent.RootID}
}

// Decode reads the time out of a run id, in Unix milliseconds. It is false for
// anything Mint would not have written.
func Decode(token string) (ms int64, ok bool) {
	body, found := strings.CutPrefix(token, prefix)
	if !found || len(body) != digits {
		return 0, false
	}
	for i := range len(body) {
		d := strings.IndexByte(alphabet, body[i])
		if d < 0 {
			return 0, false
		}
		if i < timeDigits {
			ms = ms<<5 | int64(d)
		}
	}
	return ms, true
}

// encode writes as many low bits of each number as there are digits for.
func encode(ms int64, entropy uint32) string {
	out := make([]byte, digits)
	put := func(b []byte, v uint64) {
		for i := len(b) - 1; i >= 0; i-- {
			b[i] = alphabet[v&31]
			v >>= 5
		}
	}
	put(out[:timeDigits], uint64(ms))
	put(out[timeDigits:], uint64(entropy))
	return prefix + string(out)
}

// processID names the program a run belongs to. It ends up in logs and in the
// environment, so it is printable text without blanks.
func processID(process string) (string, error) {
	name := strings.TrimPrefix(process, processPrefix)
	switch {
	case name == "":
		return "", errors.New("the process name is empty")
	case len(name) > maxProcess:
		return "", fmt.Errorf("the process name is longer than %d bytes", maxProcess)
	case !utf8.ValidString(name), strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }):
		return "", fmt.Errorf("the process name %q has blanks or unprintable characters", name)
	}
	return processPrefix + name, nil
}
