package main

import (
	"fmt"
	"time"
)

// A row is one comparison.
type row struct {
	what    string
	product time.Duration // median of one run of the product
	start   time.Duration // of a process that does nothing, 0 where it is not taken off
	git     time.Duration // of the git commands it is held against
	target  float64       // 0 where none is set
	note    string

	memory     int64 // most bytes that the product held, 0 where it was not looked at
	memoryMost int64 // that it is allowed, 0 where that is not set
}

func (r row) ratio() float64 { return float64(r.product-r.start) / float64(r.git) }

// met is "ok" or "over", "" where there is nothing to meet.
func (r row) met() string {
	switch {
	case r.target > 0 && r.ratio() > r.target, r.memoryMost > 0 && r.memory > r.memoryMost:
		return "over"
	case r.target > 0 || r.memoryMost > 0:
		return "ok"
	}
	return ""
}

// words are what a reader of the table is told beside the figures.
func (r row) words() string {
	words := r.note
	if r.memory > 0 {
		if words != "" {
			words += "; "
		}
		words += fmt.Sprintf("own peak memory %d MB", r.memory>>20)
		if r.memoryMost > 0 {
			words += fmt.Sprintf(" of %d", r.memoryMost>>20)
		}
	}
	return words
}

func (r row) String() string {
	target, met := "-", r.met()
	if r.target > 0 {
		target = fmt.Sprintf("<= %.2f", r.target)
	}
	if words := r.words(); words != "" {
		met += "  (" + words + ")"
	}
	return fmt.Sprintf("%-42s %10s %8s %10s %7.2f %8s %s", r.what, ms(r.product), ms(r.start), ms(r.git), r.ratio(), target, met)
}

func ms(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}
