package main

import (
	"fmt"
	"io"
	"time"
)

// A row is one printed comparison.
type row struct {
	what    string
	product time.Duration // median of one run of the product
	start   time.Duration // of a process that does nothing, 0 where it is not taken off
	git     time.Duration // of the git commands it is held against
	target  float64       // 0 where none is set
	note    string
}

func printHead(w io.Writer) {
	fmt.Fprintf(w, "%-42s %10s %8s %10s %7s %8s\n", "medians; ratio = (product - start) / git", "product", "start", "git", "ratio", "target")
}

func (r row) ratio() float64 { return float64(r.product-r.start) / float64(r.git) }

func (r row) print(w io.Writer) {
	target, verdict := "-", ""
	if r.target > 0 {
		target, verdict = fmt.Sprintf("<= %.2f", r.target), "ok"
		if r.ratio() > r.target {
			verdict = "over"
		}
	}
	if r.note != "" {
		verdict += "  (" + r.note + ")"
	}
	fmt.Fprintf(w, "%-42s %10s %8s %10s %7.2f %8s %s\n", r.what, ms(r.product), ms(r.start), ms(r.git), r.ratio(), target, verdict)
}

func ms(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}
