package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A report shows rows as a table, and keeps them as lines of JSON where that is asked
// for.
type report struct {
	table io.Writer
	file  *os.File // nil for none
	of    string   // what is measured: time or processor time
	err   error    // the first of the file's
}

func newReport(table io.Writer, path string, processor bool) (*report, error) {
	r := &report{table: table, of: "time"}
	if processor {
		r.of = "processor time"
	}
	if path != "" {
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		r.file = f
	}
	head := "medians; ratio = (product - start) / git"
	if processor {
		head = "processor time; " + head
	}
	fmt.Fprintf(table, "%-42s %10s %8s %10s %7s %8s\n", head, "product", "start", "git", "ratio", "target")
	return r, nil
}

// A record is a row as a line of JSON; times are in milliseconds. A line that was
// skipped has only its name and the reason.
type record struct {
	Line       string  `json:"line"`
	What       string  `json:"what,omitempty"`
	Of         string  `json:"of,omitempty"`    // time or processor time
	Pairs      int     `json:"pairs,omitempty"` // that each median is of, at least
	Product    float64 `json:"product_ms,omitempty"`
	Start      float64 `json:"start_ms,omitempty"`
	Git        float64 `json:"git_ms,omitempty"`
	Ratio      float64 `json:"ratio,omitempty"`
	Target     float64 `json:"target,omitempty"`
	Met        string  `json:"met,omitempty"` // ok or over
	Memory     int64   `json:"memory_bytes,omitempty"`
	MemoryMost int64   `json:"memory_target,omitempty"`
	Note       string  `json:"note,omitempty"`
	Skipped    string  `json:"skipped,omitempty"`
}

func (r *report) row(line string, w row, pairs int) {
	fmt.Fprintln(r.table, w)
	r.keep(record{
		Line: line, What: w.what, Of: r.of, Pairs: pairs, Product: inMS(w.product), Start: inMS(w.start), Git: inMS(w.git),
		Ratio: w.ratio(), Target: w.target, Met: w.met(), Memory: w.memory, MemoryMost: w.memoryMost, Note: w.note,
	})
}

func (r *report) skip(line, why string) {
	fmt.Fprintf(r.table, "%-42s skipped: %s\n", line, why)
	r.keep(record{Line: line, Skipped: why})
}

func (r *report) keep(v record) {
	if r.file == nil || r.err != nil {
		return
	}
	to := json.NewEncoder(r.file)
	to.SetEscapeHTML(false)
	r.err = to.Encode(v)
}

func inMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// close reports what of the lines of JSON could not be written.
func (r *report) close() error {
	if r.file == nil {
		return nil
	}
	return errors.Join(r.err, r.file.Close())
}
