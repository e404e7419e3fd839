package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
)

// Every stampEvery-th commit of a generated history stamps a unit, every
// trailerEvery-th names one in a trailer.
const (
	stampEvery   = 4
	trailerEvery = 50
)

// generated makes a repository whose history has n commits with texts of real
// sizes: subjects of 40 to 80 bytes, bodies of up to a dozen lines, one file
// changed each.
func (b *bench) generated(n int) (string, error) {
	dir := b.newDir("generated")
	if err := b.quiet("", []string{"git", "init", "--quiet", dir}); err != nil {
		return "", err
	}
	load := exec.CommandContext(b.ctx, "git", "fast-import", "--quiet")
	load.Dir, load.Stderr = dir, b.words
	in, err := load.StdinPipe()
	if err != nil {
		return "", err
	}
	if err := load.Start(); err != nil {
		return "", err
	}
	writeHistory(in, n)
	_ = in.Close() // git says what it did not get
	if err := load.Wait(); err != nil {
		return "", fmt.Errorf("import a generated history: %w: %s", err, b.lastWords())
	}
	if err := b.quiet(dir, []string{"git", "symbolic-ref", "HEAD", "refs/heads/main"}, []string{"git", "reset", "--quiet", "--hard"}); err != nil {
		return "", err
	}
	return dir, b.commitRules(dir, 1, noFleet)
}

// writeHistory writes the same stream for the same n.
func writeHistory(to io.Writer, n int) {
	w := bufio.NewWriterSize(to, 1<<20)
	defer w.Flush()
	random := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields("add fix refresh token cache lane retry parser scope tests docs handle empty input reader writer index walk commit order grant lease")
	words := func(n int) string {
		var list []string
		for range n {
			list = append(list, vocabulary[random.IntN(len(vocabulary))])
		}
		return strings.Join(list, " ")
	}
	when := int64(1_500_000_000)
	for i := range n {
		when += 1 + random.Int64N(600)
		subject := fmt.Sprintf("fix(%s): %s (#%d)", words(1), words(6), i)
		plan := i % 300
		if i%stampEvery == 0 {
			subject = fmt.Sprintf("PLAN%d: PLAN%d.%d %s", plan, plan, i%17, words(5))
		}
		var m strings.Builder
		m.WriteString(subject + "\n\n")
		for range random.IntN(13) {
			m.WriteString(words(11) + "\n")
		}
		fmt.Fprintf(&m, "\nSigned-off-by: dev%d <dev%d@example.com>\n", i%40, i%40)
		if i%trailerEvery == 0 {
			fmt.Fprintf(&m, "Dos-Ship: PLAN%d/PLAN%d.%d\n", plan, plan, i%17)
		}
		content := fmt.Sprintf("line %d\n", i)
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter dev%d <dev%d@example.com> %d +0000\ndata %d\n%s\n", i%40, i%40, when, m.Len(), m.String())
		fmt.Fprintf(w, "M 100644 inline src/d%d/f%d.go\ndata %d\n%s\n", i%30, i%997, len(content), content)
	}
}
