package ancestry

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// long makes a linear history of n commits with messages of ordinary size.
func long(b *testing.B, n int) *repo {
	r := newRepo(b)
	var in strings.Builder
	body := strings.Repeat("a line of the body, of an ordinary length for one\n", 8)
	for i := range n {
		message := fmt.Sprintf("feat: change number %d\n\n%s\nSigned-off-by: worker <worker@example.com>\n", i, body)
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter w <w@example.com> %d +0000\ndata %d\n%s\n", 1700000000+i, len(message), message)
	}
	r.feed(in.String(), "fast-import", "--quiet")
	return r
}

func BenchmarkWalk(b *testing.B) {
	const commits = 5000
	r := long(b, commits)
	tip, err := Resolve(context.Background(), r.runner(), "main")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, err := range Walk(r.runner(), refstore.OID(tip)).Commits(context.Background()) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != commits {
				b.Fatalf("%d commits", n)
			}
		}
	})
	b.Run("git log", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("git", "-C", r.dir, "log", "--format=%H%n%B", string(tip))
			cmd.Stdout = io.Discard
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
