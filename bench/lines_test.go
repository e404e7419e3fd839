package main

import (
	"os"
	"strings"
	"testing"
)

// docs/benchmarks.md names every line and every flag.
func TestTheDocumentNamesEveryLine(t *testing.T) {
	text, err := os.ReadFile("../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("it does not name the line %s", name)
		}
	}
	for _, flag := range []string{"--only", "--pairs", "--json", "--cpu", "--history"} {
		if !strings.Contains(string(text), "bench/run "+flag) {
			t.Errorf("it does not show %s", flag)
		}
	}
	if len(names()) < 20 {
		t.Errorf("%d lines: the test looks in the wrong place", len(names()))
	}
}
