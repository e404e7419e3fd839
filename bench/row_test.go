package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestARowIsOverByTimeOrByMemory(t *testing.T) {
	for _, tt := range []struct {
		claim string
		row   row
		want  string
	}{
		{"without a target", row{product: 9, git: 1}, ""},
		{"at it", row{product: 5, start: 2, git: 2, target: 1.5}, "ok"},
		{"beyond it", row{product: 6, start: 2, git: 2, target: 1.5}, "over"},
		{"at its memory", row{product: 1, git: 1, target: 2, memory: 32, memoryMost: 32}, "ok"},
		{"beyond its memory", row{product: 1, git: 1, target: 2, memory: 33, memoryMost: 32}, "over"},
		{"memory that nothing bounds", row{product: 1, git: 1, target: 2, memory: 33}, "ok"},
	} {
		if got := tt.row.met(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
	}
}

func TestAReportKeepsEachRowAsALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	var table strings.Builder
	r, err := newReport(&table, path, true)
	if err != nil {
		t.Fatal(err)
	}
	r.row("local", row{what: "acquire", product: 7 * time.Millisecond, start: time.Millisecond, git: 4 * time.Millisecond, target: 1.7, note: "a < b"}, 11)
	r.skip("history", "there is none")
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []record{
		{Line: "local", What: "acquire", Of: "processor time", Pairs: 11, Product: 7, Start: 1, Git: 4, Ratio: 1.5, Target: 1.7, Met: "ok", Note: "a < b"},
		{Line: "history", Skipped: "there is none"},
	}
	lines := bufio.NewScanner(f)
	for i := 0; lines.Scan(); i++ {
		var got record
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil || i >= len(want) || got != want[i] {
			t.Fatalf("line %d: %s: %v", i+1, lines.Bytes(), err)
		}
	}
	for _, words := range []string{"processor time; medians", "acquire", "1.50  <= 1.70 ok", "skipped: there is none"} {
		if !strings.Contains(table.String(), words) {
			t.Errorf("the table lacks %q:\n%s", words, table.String())
		}
	}
}

func TestAskedForWrongNothingIsMeasured(t *testing.T) {
	for _, args := range [][]string{{"--pairs", "4"}, {"--only", "nosuch"}, {"--nosuch"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v: measured", args)
		}
	}
}
