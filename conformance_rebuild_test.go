package gitdos_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A gitVector is a repository and a question about it.
type gitVector struct {
	ID      string             `json:"id"`
	Fn      string             `json:"fn"`
	Group   string             `json:"group"`
	Tags    []string           `json:"tags"`
	DosTOML *string            `json:"dos_toml"` // of the work tree, nil for none
	Files   map[string]content `json:"files"`    // of the work tree, not committed
	Commits []vectorCommit     `json:"commits"`
	Head    json.RawMessage    `json:"head"`
	Query   json.RawMessage    `json:"query"`
	Want    json.RawMessage    `json:"want"`
	Check   struct {
		Head *string `json:"head"` // what HEAD must resolve to, nil when it is unborn
	} `json:"check"`
}

type vectorCommit struct {
	Branch  string             `json:"branch"`
	Parents *[]int             `json:"parents"` // nil: the branch's newest, if it has one
	Subject string             `json:"subject"`
	Body    string             `json:"body"`
	Message *string            `json:"message"` // exact; wins over subject and body
	Files   map[string]content `json:"files"`
	Author  string             `json:"author"`
	Date    int64              `json:"date"`
}

func (c vectorCommit) message() string {
	switch {
	case c.Message != nil:
		return *c.Message
	case c.Body != "":
		return c.Subject + "\n\n" + c.Body + "\n"
	}
	return c.Subject + "\n"
}

// content is one file: a JSON string, null for a deletion, or {"b64": ...}.
type content struct {
	gone bool
	data []byte
}

func (c *content) UnmarshalJSON(data []byte) error {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		if c.gone = text == nil; !c.gone {
			c.data = []byte(*text)
		}
		return nil
	}
	var binary struct {
		B64 []byte `json:"b64"`
	}
	err := strictly(data, &binary)
	if err == nil && binary.B64 == nil {
		err = fmt.Errorf("file content %s is neither text, null nor b64", data)
	}
	c.data = binary.B64
	return err
}

// strictly decodes JSON without fields nobody reads.
func strictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// A tree is the files of a commit, by path.
type tree map[string][]byte

// remove takes out a path and whatever lies below it.
func (t tree) remove(path string) {
	maps.DeleteFunc(t, func(p string, _ []byte) bool { return p == path || strings.HasPrefix(p, path+"/") })
}

// put sets a file. It replaces what a file cannot stand beside.
func (t tree) put(path string, data []byte) {
	t.remove(path)
	maps.DeleteFunc(t, func(p string, _ []byte) bool { return strings.HasPrefix(path, p+"/") })
	t[path] = data
}

// A rebuilt repository has the vector's commits, HEAD and work tree.
type rebuilt struct {
	dir string
	ids []string // of the commits, by index
}

// commit is the index of a commit, or the id itself where no commit has it.
func (r rebuilt) commit(id any) any {
	if i := slices.Index(r.ids, fmt.Sprint(id)); i >= 0 {
		return i
	}
	return id
}

// rebuild makes the vector's repository in dir, a fresh repository without a
// commit. It is an error when HEAD is not what the vector says.
func (v gitVector) rebuild(dir string, env []string) (rebuilt, error) {
	r := rebuilt{dir: dir}
	stream, trees, err := v.stream()
	if err != nil {
		return r, err
	}
	if r.ids, err = fastImport(dir, env, stream, len(v.Commits)); err != nil {
		return r, err
	}
	at, err := v.checkOut(r)
	if err != nil {
		return r, err
	}
	if at >= 0 {
		err = writeFiles(dir, trees[at])
	}
	return r, errors.Join(err, writeWorkTree(dir, v.Files, v.DosTOML))
}

// stream is the whole history for git fast-import, and every commit's tree.
func (v gitVector) stream() ([]byte, []tree, error) {
	var b bytes.Buffer
	trees := make([]tree, len(v.Commits))
	tips := map[string]int{}
	for i, c := range v.Commits {
		parents, err := c.parents(i, tips)
		if err != nil {
			return nil, nil, err
		}
		t := tree{}
		for n, p := range parents {
			for _, path := range slices.Sorted(maps.Keys(trees[p])) {
				if _, present := t[path]; n == 0 || !present {
					t.put(path, trees[p][path])
				}
			}
		}
		for _, path := range slices.Sorted(maps.Keys(c.Files)) {
			if f := c.Files[path]; f.gone {
				t.remove(path)
			} else {
				t.put(path, f.data)
			}
		}
		trees[i], tips[c.Branch] = t, i
		writeCommit(&b, i, c, parents, t)
	}
	return b.Bytes(), trees, nil
}

func (c vectorCommit) parents(i int, tips map[string]int) ([]int, error) {
	tip, old := tips[c.Branch]
	switch {
	case c.Parents == nil && old:
		return []int{tip}, nil
	case c.Parents == nil:
		return nil, nil
	}
	for _, p := range *c.Parents {
		if p < 0 || p >= i {
			return nil, fmt.Errorf("commit %d has parent %d", i, p)
		}
	}
	return *c.Parents, nil
}

// writeCommit writes one commit with its whole tree, whatever its parents'.
func writeCommit(b *bytes.Buffer, i int, c vectorCommit, parents []int, t tree) {
	data := func(d []byte) { fmt.Fprintf(b, "data %d\n%s\n", len(d), d) }
	fmt.Fprintf(b, "reset refs/heads/%s\n\ncommit refs/heads/%s\nmark :%d\n", c.Branch, c.Branch, i+1)
	fmt.Fprintf(b, "author %s %d +0000\ncommitter %s %d +0000\n", c.Author, c.Date, c.Author, c.Date)
	data([]byte(c.message()))
	for n, p := range parents {
		fmt.Fprintf(b, "%s :%d\n", []string{"from", "merge"}[min(n, 1)], p+1)
	}
	b.WriteString("deleteall\n")
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	for _, path := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(b, "M 100644 inline \"%s\"\n", quote.Replace(path))
		data(t[path])
	}
	b.WriteString("\n")
}

// gitDeadline is far above what any process of a vector takes.
const gitDeadline = time.Minute

// fastImport returns the ids of the n commits that the stream makes.
func fastImport(dir string, env []string, stream []byte, n int) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitDeadline)
	defer cancel()
	marks := filepath.Join(dir, ".git", "marks")
	cmd := exec.CommandContext(ctx, "git", "-c", "fastimport.unpackLimit=0", "-c", "core.fsync=none",
		"fast-import", "--quiet", "--date-format=raw", "--export-marks="+marks)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, bytes.NewReader(stream)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git fast-import: %w: %s", err, out)
	}
	text, err := os.ReadFile(marks)
	if err != nil {
		return nil, err
	}
	ids := make([]string, n)
	for line := range strings.Lines(string(text)) {
		var mark int
		var id string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &id); err != nil || mark < 1 || mark > n {
			return nil, fmt.Errorf("git fast-import marked %q", line)
		}
		ids[mark-1] = id
	}
	return ids, os.Remove(marks)
}

// checkOut points HEAD where the vector says and returns the index of its
// commit, -1 when it is unborn.
func (v gitVector) checkOut(r rebuilt) (int, error) {
	var to struct {
		Branch   string
		Detached *int    `json:"detached"`
		Unborn   *string `json:"unborn"`
	}
	if json.Unmarshal(v.Head, &to.Branch) != nil {
		if err := strictly(v.Head, &to); err != nil {
			return -1, err
		}
	}
	at, head := -1, "ref: refs/heads/"+to.Branch
	switch {
	case to.Detached != nil:
		if at = *to.Detached; at < 0 || at >= len(r.ids) {
			return -1, fmt.Errorf("HEAD is detached at commit %d of %d", at, len(r.ids))
		}
		head = r.ids[at]
	case to.Unborn != nil:
		head = "ref: refs/heads/" + *to.Unborn
	}
	if err := os.WriteFile(filepath.Join(r.dir, ".git", "HEAD"), []byte(head+"\n"), 0o644); err != nil {
		return -1, err
	}
	return at, v.checkHead(r, head, &at)
}

// checkHead compares what HEAD resolves to with what the vector recorded, and
// finds its commit.
func (v gitVector) checkHead(r rebuilt, head string, at *int) error {
	id := head
	if ref, symbolic := strings.CutPrefix(head, "ref: "); symbolic {
		text, err := os.ReadFile(filepath.Join(r.dir, ".git", filepath.FromSlash(ref)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		id = strings.TrimSpace(string(text))
		*at = slices.Index(r.ids, id)
	}
	want := ""
	if v.Check.Head != nil {
		want = *v.Check.Head
	}
	if id != want {
		return fmt.Errorf("the rebuilt HEAD is %q, the vector's %q", id, want)
	}
	return nil
}

func writeWorkTree(dir string, files map[string]content, dosTOML *string) error {
	t := tree{}
	for path, f := range files {
		if f.gone {
			return fmt.Errorf("work-tree file %s has no content", path)
		}
		t[path] = f.data
	}
	if dosTOML != nil {
		t["dos.toml"] = []byte(*dosTOML)
	}
	return writeFiles(dir, t)
}

func writeFiles(dir string, t tree) error {
	for path, data := range t {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return fmt.Errorf("path %q is outside the repository", path)
		}
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A rebuild that is not exact proves nothing of the answer.
func TestRebuildIsExact(t *testing.T) {
	const seed = `{"branch":"main","subject":"s","body":"","files":{"a":"1\n","d/x":"2\n"},"author":"A <a@b>","date":1700000000}`
	const side = `{"branch":"side","parents":[],"subject":"side","body":"b","files":{"a":"3\n","e":{"b64":"AAE="}},"author":"A <a@b>","date":1700000001}`
	const merge = `{"branch":"main","parents":[0,1],"subject":"m","body":"","message":"m","files":{"d":"file\n","q \"\\\u00e9":"4\n","e":null},"author":"A <a@b>","date":1700000002}`
	const head = "3f720c78b09a949b04e12792851d1c229a1cae8c"
	tests := []struct{ name, line, want string }{
		{"a merge", `{"commits":[` + seed + "," + side + "," + merge + `],"head":"main","check":{"head":"` + head + `"}}`, ""},
		{"detached", `{"commits":[` + seed + "," + side + "," + merge + `],"head":{"detached":2},"check":{"head":"` + head + `"}}`, ""},
		{"an unborn branch", `{"commits":[` + seed + `],"head":{"unborn":"main2"},"check":{"head":null}}`, ""},
		{"another id", `{"commits":[` + seed + `],"head":"main","check":{"head":"` + head + `"}}`, "the rebuilt HEAD is"},
		{"a branch that is not born", `{"commits":[` + seed + `],"head":"other","check":{"head":"` + head + `"}}`, "the rebuilt HEAD is"},
		{"a branch that should not be born", `{"commits":[` + seed + `],"head":"main","check":{"head":null}}`, "the rebuilt HEAD is"},
		{"a parent to come", `{"commits":[` + merge + `],"head":"main","check":{"head":null}}`, "has parent 0"},
		{"detached at nothing", `{"commits":[],"head":{"detached":0},"check":{"head":null}}`, "detached at commit 0"},
		{"an unknown head", `{"commits":[],"head":{"at":0},"check":{"head":null}}`, "unknown field"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v gitVector
			if err := strictly([]byte(tt.line), &v); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			env := quietEnv(t.TempDir())
			if err := emptyRepository(dir, env); err != nil {
				t.Fatal(err)
			}
			_, err := v.rebuild(dir, env)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
		})
	}
}
