package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"time"
)

// pushCommits is how many commits are pushed, pushBehind how many the remote has.
const (
	pushCommits = 1000
	pushBehind  = 500
)

// The gates of a push: those that read paths and messages, and with them those
// that read what is added. A gate that builds what is pushed has no command.
const (
	pathGates = "[gates]\nsecret_shape.mode = \"off\"\npublic_leak.mode = \"off\"\nbroken_link.mode = \"off\"\nclaim_unwitnessed.mode = \"off\"\noff_trunk.mode = \"block\"\n"
	allGates  = "[gates]\noff_trunk.mode = \"block\"\n"
)

// gateSets are the gates that are measured, each with the git that reads as much.
var gateSets = []struct {
	name, rules string
	target      float64
	git         []string
}{
	{"paths", pathGates, 3, []string{"--raw"}},
	{"paths and text", allGates, 1.5, []string{"-p"}},
}

// prePush measures the pre-push hook over commits of real-sized text.
func prePush(b *bench) ([]row, error) {
	var rows []row
	for _, gates := range gateSets {
		dir, tip, err := b.outgoing(gates.rules)
		if err != nil {
			return nil, err
		}
		log := append(append([]string{"git", "log"}, gates.git...), "refs/remotes/origin/main..main")
		m, err := b.pairs(11, b.process(dir, b.start), b.process(dir, log...), b.hook(dir, tip))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: fmt.Sprintf("pre-push, %d commits, gates of %s", pushCommits, gates.name), product: m[2], start: m[0], git: m[1], target: gates.target,
			note: "git log " + gates.git[0],
		})
	}
	return rows, nil
}

// preReceive measures the pre-receive hook over the same commits, in a repository whose
// refs do not reach them yet.
func preReceive(b *bench) ([]row, error) {
	var rows []row
	for _, gates := range gateSets {
		dir, tip, err := b.outgoing(gates.rules)
		if err != nil {
			return nil, err
		}
		hub := dir + ".git"
		old := fmt.Sprintf("main~%d", pushCommits)
		if err := b.quiet("", []string{"git", "clone", "--quiet", "--bare", dir, hub}, []string{"git", "-C", hub, "update-ref", "refs/heads/main", old}); err != nil {
			return nil, err
		}
		if old, err = b.output(hub, "", "git", "rev-parse", "main"); err != nil {
			return nil, err
		}
		log := append(append([]string{"git", "log"}, gates.git...), old+".."+tip)
		line := fmt.Sprintf("%s %s refs/heads/main\n", old, tip)
		m, err := b.pairs(11, b.process(hub, b.start), b.process(hub, log...), b.asks(hub, line, "pre-receive"))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: fmt.Sprintf("pre-receive, %d commits, gates of %s", pushCommits, gates.name), product: m[2], start: m[0], git: m[1], target: gates.target,
			note: "git log " + gates.git[0],
		})
	}
	return rows, nil
}

// hook is an arm that asks the gates about a push of the trunk. A receipt of it
// is written by the first that does.
func (b *bench) hook(dir, tip string) arm {
	line := fmt.Sprintf("refs/heads/main %s refs/heads/main %s\n", tip, strings.Repeat("0", len(tip)))
	return b.asks(dir, line, "pre-push", "origin", "/nowhere")
}

// asks is an arm that runs a hook, which is told of a line.
func (b *bench) asks(dir, line string, hook ...string) arm {
	return func() (time.Duration, error) {
		cmd := exec.CommandContext(b.ctx, b.dos, append([]string{"hook"}, hook...)...)
		var words bytes.Buffer
		cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(line), &words
		took := b.meter()
		err := cmd.Run()
		spent := took()
		if err != nil {
			err = fmt.Errorf("hook: %w: %.500s", err, words.Bytes())
		}
		return spent, err
	}
}

// outgoing makes a repository whose trunk is ahead of its remote.
func (b *bench) outgoing(gates string) (dir, tip string, err error) {
	dir = b.newDir("outgoing")
	if err := b.quiet("", []string{"git", "init", "--quiet", dir}, []string{"git", "-C", dir, "remote", "add", "origin", "/nowhere"}); err != nil {
		return "", "", err
	}
	load := exec.CommandContext(b.ctx, "git", "fast-import", "--quiet")
	load.Dir, load.Stderr = dir, b.words
	in, err := load.StdinPipe()
	if err != nil {
		return "", "", err
	}
	if err := load.Start(); err != nil {
		return "", "", err
	}
	writeTexts(in, gates, pushBehind+pushCommits)
	_ = in.Close() // git says what it did not get
	if err := load.Wait(); err != nil {
		return "", "", fmt.Errorf("import texts: %w: %s", err, b.lastWords())
	}
	err = b.quiet(dir, []string{"git", "symbolic-ref", "HEAD", "refs/heads/main"},
		[]string{"git", "update-ref", "refs/remotes/origin/main", fmt.Sprintf("main~%d", pushCommits)},
		[]string{"git", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"}, []string{"git", "gc", "--quiet"})
	if err != nil {
		return "", "", err
	}
	tip, err = b.output(dir, "", "git", "rev-parse", "main")
	return dir, tip, err
}

// writeTexts writes the same stream for the same n: commits that change one to
// four files of some hundred lines, twenty lines or so in each. A fifth of the
// files are tests, and half of the commits claim what they can carry.
func writeTexts(to io.Writer, gates string, n int) {
	w := bufio.NewWriterSize(to, 1<<20)
	defer w.Flush()
	random := rand.New(rand.NewPCG(3, 4))
	files := make([][]string, 200)
	for i := range files {
		for range 100 + random.IntN(300) {
			files[i] = append(files[i], codeLine(random))
		}
	}
	for i := range n {
		changed := make([]int, 1+random.IntN(4))
		for j := range changed {
			changed[j] = random.IntN(len(files))
		}
		message := fmt.Sprintf("%s%s\n\n%s\n", claim(random, changed), phrase(random, 6), phrase(random, 30))
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter dev <dev@example.com> %d +0000\ndata %d\n%s\n", 1_700_000_000+60*i, len(message), message)
		if i == 0 {
			fmt.Fprintf(w, "M 100644 inline dos.toml\ndata %d\n%s\n", len(gates), gates)
		}
		for _, f := range changed {
			at := random.IntN(len(files[f]) - 30)
			for j := range 10 + random.IntN(20) {
				files[f][at+j] = codeLine(random)
			}
			text := strings.Join(files[f], "\n") + "\n"
			fmt.Fprintf(w, "M 100644 inline src/%s%d/part%d%s.go\ndata %d\n%s\n", nouns[f%len(nouns)], f%20, f, testEnd(f), len(text), text)
		}
	}
}

func testEnd(file int) string {
	if file%5 == 0 {
		return "_test"
	}
	return ""
}

// claim begins a subject, half of the time with a claim that these files carry.
func claim(random *rand.Rand, files []int) string {
	claims := []string{pick(random, nouns) + ": "}
	for _, f := range files {
		if testEnd(f) != "" {
			claims = append(claims, "test: ", "docs: comments of ")
		} else {
			claims = append(claims, "fix: ", "feat(api): ", "add ", "refactor: ")
		}
	}
	return claims[random.IntN(2)*random.IntN(len(claims))]
}

var nouns = strings.Fields("token cache lane retry parser scope reader writer index walk commit order grant lease session config server client key path")

func pick(random *rand.Rand, words []string) string { return words[random.IntN(len(words))] }

func phrase(random *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = pick(random, nouns)
	}
	return strings.Join(words, " ")
}

// codeLine is a line as source code has them.
func codeLine(random *rand.Rand) string {
	a, b, c := pick(random, nouns), pick(random, nouns), pick(random, nouns)
	switch random.IntN(6) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("\t// %s of the %s, unless the %s is there already and has to be read again.", a, b, c)
	case 2:
		return fmt.Sprintf("\t%s, err := s.%s.Read(ctx, %q, %d)", a, b, c, random.IntN(5000))
	case 3:
		return fmt.Sprintf("\tif %s == nil || %s.%s != other.%s {", a, a, b, b)
	case 4:
		return fmt.Sprintf("\t\treturn nil, fmt.Errorf(\"%s %%s: %%w\", %s.ID, err)", a, c)
	}
	return fmt.Sprintf("func (s *%sStore) %s(ctx context.Context, id string) (*%s, error) {", a, strings.ToUpper(b[:1])+b[1:], c)
}
