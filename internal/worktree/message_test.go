package worktree

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

var full = Note{Unit: "docs/SHOP/P1", Lease: "api@3", Run: "RID-1", Worker: "w7"}

const block = "Dos-Ship: docs/SHOP/P1\nDos-Lease: api@3\nDos-Run: RID-1\nDos-Worker: w7\n"

func TestCompose(t *testing.T) {
	tests := []struct {
		claim, text string
		note        Note
		want        string
	}{
		{"a bare message stays", "subject", Note{}, "subject\n"},
		{"white space goes as git has it go", "\n\n  subject  \n\n\n\nbody\t\r\n\n", Note{}, "  subject\n\nbody\n"},
		{"hash lines are text", "subject\n\n#3 is why\n", Note{}, "subject\n\n#3 is why\n"},
		{"trailers get a paragraph", "subject", Note{Unit: "P/1"}, "subject\n\nDos-Ship: P/1\n"},
		{"all of them, in order", "subject\n\nbody", full, "subject\n\nbody\n\n(fak-worker w7)\n\n" + block},
		{"a title that looks like a trailer is none", "Fixes: #3", Note{Unit: "P/1"}, "Fixes: #3\n\nDos-Ship: P/1\n"},
		{"a block is extended", "subject\n\nFixes: #3\nSigned-off-by: a", Note{Unit: "P/1"}, "subject\n\nFixes: #3\nSigned-off-by: a\nDos-Ship: P/1\n"},
		{"the worker stands before the block", "subject (fak api)\n\nFixes #4\n\nFixes: #3", full, "subject (fak api)\n\nFixes #4\n\n(fak-worker w7)\n\nFixes: #3\n" + block},
		{"what was said is not said again", "subject\n\n(fak-worker w7)\n\n" + block, full, "subject\n\n(fak-worker w7)\n\n" + block},
		{"whatever the case of its key", "subject\n\ndos-worker: w7", Note{Worker: "w7"}, "subject\n\n(fak-worker w7)\n\ndos-worker: w7\n"},
		{"a worker line inside the block comes out", "subject\n\nFixes: #3\n(fak-worker w7)", Note{Worker: "w7"}, "subject\n\n(fak-worker w7)\n\nFixes: #3\nDos-Worker: w7\n"},
		{"a worker line after the block comes out", "subject\n\nFixes: #3\n\n(fak-worker w7)", Note{Worker: "w7"}, "subject\n\n(fak-worker w7)\n\nFixes: #3\nDos-Worker: w7\n"},
		{"another unit may be shipped too", "subject\n\nDos-Ship: P/1", Note{Unit: "P/2"}, "subject\n\nDos-Ship: P/1\nDos-Ship: P/2\n"},
		{"a value that goes on is one block", "subject\n\nNote: a\n  b", Note{Unit: "P/1"}, "subject\n\nNote: a\n  b\nDos-Ship: P/1\n"},
		{"prose with a colon is no block", "subject\n\nwe do: this\nand that", Note{Unit: "P/1"}, "subject\n\nwe do: this\nand that\n\nDos-Ship: P/1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			got, err := Compose(tt.text, tt.note)
			if err != nil || string(got) != tt.want {
				t.Fatalf("%q, %v\nwant %q", got, err, tt.want)
			}
			cmd := exec.Command("git", "interpret-trailers", "--parse", "--no-divider")
			cmd.Stdin = strings.NewReader(string(got))
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var ours strings.Builder
			for _, tr := range TrailersOf(got) {
				ours.WriteString(tr.Key + ": " + tr.Value + "\n")
			}
			if ours.String() != string(out) {
				t.Errorf("trailers %q, git sees %q", ours.String(), out)
			}
			if again, err := Compose(string(got), tt.note); err != nil || string(again) != string(got) {
				t.Errorf("composed again %q, %v", again, err)
			}
		})
	}
}

func TestComposeRefuses(t *testing.T) {
	tests := []struct {
		claim, text string
		note        Note
		want        string
	}{
		{"no message", "", full, "is empty"},
		{"white space", " \n\t\n", full, "is empty"},
		{"a NUL", "a\x00b", Note{}, "NUL"},
		{"stray bytes", "a\xff", Note{}, "UTF-8"},
		{"a message without end", strings.Repeat("x", MaxMessage+1), Note{}, "longer"},
		{"a worker of two lines", "s", Note{Worker: "a\nDos-Ship: P/1"}, "does not print"},
		{"a worker that bends the line", "s", Note{Worker: "a\u202eb"}, "does not print"},
		{"a worker too long", "s", Note{Worker: strings.Repeat("w", 201)}, "longer"},
		{"a worker with space around", "s", Note{Worker: " w"}, "white space"},
		{"a run of two lines", "s", Note{Run: "a\rb"}, "does not print"},
		{"another worker", "s\n\nDos-Worker: w8", Note{Worker: "w7"}, "Dos-Worker: w8"},
		{"another lease", "s\n\nDos-Lease: web@1", full, "Dos-Lease: web@1"},
		{"a comment after the block", "s\n\nFixes: #3\n\n# end", Note{Unit: "P/1"}, "would not see"},
		{"a cut mark", "s\n\n# ------------------------ >8 ------------------------\nx", Note{Unit: "P/1"}, "would not see"},
	}
	for _, tt := range tests {
		if got, err := Compose(tt.text, tt.note); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v; want an error with %q", tt.claim, got, err, tt.want)
		}
	}
	if _, err := Compose(" ", Note{}); !errors.Is(err, ErrEmptyMessage) {
		t.Errorf("%v, want ErrEmptyMessage", err)
	}
}

// Whatever the text, what is composed is either refused or carries every
// trailer where git sees it.
func FuzzCompose(f *testing.F) {
	for _, text := range []string{"s", "s\n\nFixes: #3", "s\n\n# c\n\nA: b\n", "s\n\nConflicts:\n\ta\n", "s\n\n---\nA: b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Compose(text, full)
		if err != nil {
			return
		}
		for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
			seen := false
			for _, tr := range TrailersOf(got) {
				seen = seen || strings.EqualFold(tr.Key+": "+tr.Value, line)
			}
			if !seen {
				t.Errorf("%q has no trailer %s", got, line)
			}
		}
	})
}
