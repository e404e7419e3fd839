package gitdos_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const ownModule = "github.com/git-dos/git-dos/"

// importRules says what the packages of a folder may import besides
// themselves. The longest folder that matches rules. "pure" stands for the
// packages in pureStd, "std" for the whole standard library, "kernel/..." for
// every package below.
var importRules = map[string][]string{
	"kernel":              {"pure", "kernel/verdict"},
	"kernel/verdict":      {"pure"},
	"kernel/policy":       {"pure", "github.com/pelletier/go-toml/v2/..."},
	"kernel/lane":         {"pure", "kernel/verdict", "golang.org/x/text/..."},
	"kernel/lease":        {"pure", "kernel/verdict", "kernel/lane", "kernel/written"},
	"kernel/journal":      {"pure", "kernel/written"},
	"kernel/written":      {"pure"},
	"kernel/runid":        {"pure"},
	"kernel/strict":       {"pure"},
	"kernel/liveness":     {"pure", "kernel/verdict", "kernel/strict"},
	"kernel/loop":         {"pure", "kernel/verdict", "kernel/strict", "kernel/improve", "kernel/liveness", "kernel/productivity", "kernel/resume"},
	"kernel/guard":        {"pure", "kernel/verdict", "mvdan.cc/sh/v3/syntax"},
	"kernel/agent":        {"pure", "kernel/verdict", "kernel/lane", "kernel/guard"},
	"kernel/pick":         {"pure", "kernel/verdict", "kernel/strict"},
	"kernel/fleet":        {"pure", "kernel/verdict", "kernel/lane"},
	"kernel/scope":        {"pure", "kernel/verdict", "kernel/lane"},
	"kernel/wave":         {"pure", "kernel/verdict", "kernel/lane"},
	"kernel/super":        {"pure", "kernel/verdict", "kernel/fleet"},
	"kernel/reconcile":    {"pure", "kernel/verdict", "kernel/policy", "kernel/ship"},
	"kernel/queue":        {"pure", "kernel/verdict", "kernel/lane", "kernel/leak"},
	"kernel/leak":         {"pure", "kernel/verdict", "kernel/lane"},
	"kernel/packet":       {"pure", "kernel/verdict", "kernel/pick"},
	"kernel/replan":       {"pure", "kernel/verdict", "kernel/loop"},
	"kernel/closes":       {"pure", "kernel/verdict", "kernel/audit", "kernel/ship"},
	"kernel/ship":         {"pure", "kernel/verdict", "kernel/policy"},
	"refstore":            {"std", "refstore/git", "github.com/go-git/...", "github.com/klauspost/compress/...", "golang.org/x/sys/..."},
	"refstore/git":        {"std"},
	"refstore/ancestry":   {"std", "refstore", "refstore/git"},
	"internal/facts":      {"std", "kernel/...", "refstore/...", "internal/shipindex", "internal/suite", "internal/wholefile"},
	"internal/shipindex":  {"std", "kernel/ship", "refstore", "github.com/klauspost/compress/..."},
	"internal/suite":      {"std", "refstore", "refstore/git"},
	"internal/cherry":     {"std", "refstore/..."},
	"internal/worktree":   {"std", "kernel/scope", "refstore/...", "internal/admit"},
	"internal/admit":      {"std", "kernel/...", "refstore/...", "internal/facts", "internal/host", "internal/observe", "internal/ledger"},
	"internal/leakrules":  {"std", "github.com/pelletier/go-toml/v2"},
	"internal/board":      {"std", "kernel/journal", "kernel/lease"},
	"internal/manual":     {"std", "internal/wholefile"},
	"internal/browser":    {"std"},
	"internal/screen":     {"std", "github.com/gdamore/tcell/v2", "golang.org/x/sys/unix"},
	"internal/pageserver": {"std"},
	"internal/oldledger":  {"std", "kernel/...", "refstore/..."},
	"internal/life":       {"std", "kernel/...", "refstore/...", "internal/admit", "internal/facts", "internal/host", "internal/ledger", "internal/worktree"},
	"internal/tasks":      {"std", "kernel/...", "refstore/...", "internal/admit", "internal/facts"},
	"internal/nextup":     {"std", "kernel/...", "refstore/...", "internal/admit", "internal/facts", "internal/life", "internal/tasks"},
	"internal/replan":     {"std", "kernel/...", "refstore/...", "internal/admit", "internal/facts", "internal/life", "internal/tasks", "internal/worktree"},
	"internal/receive":    {"std", "hooks", "kernel/...", "refstore/...", "internal/admit", "internal/ledger", "internal/wholefile"},
	"internal/ledger":     {"std", "kernel/policy", "kernel/journal", "refstore/..."},
	"internal/gates":      {"std", "kernel/...", "refstore/...", "hooks", "internal/admit", "internal/facts", "internal/pushed", "internal/suite", "internal/wholefile", "internal/worktree"},
	"internal/pushed":     {"std", "hooks", "refstore/..."},
	"internal/githome":    {"std"},
	"internal/drive":      {"std", "kernel/lane", "kernel/lease", "kernel/verdict", "internal/admit"},
	"internal/worker":     {"std", "internal/host", "golang.org/x/sys/..."},
	"internal/machine":    {"std", "kernel/fleet", "internal/host", "internal/marker", "github.com/shirou/gopsutil/v4/...", "golang.org/x/sys/..."},
	"internal/agentset":   {"std", "internal/wholefile"},
	"internal/wholefile":  {"std"},
	"internal/mcpserver":  {"std", "github.com/modelcontextprotocol/go-sdk/mcp"},
	"internal/probe":      {"std", "kernel/fleet"},
	"internal/marker":     {"std", "refstore", "internal/host"},
	"internal/hookset":    {"std", "kernel/verdict", "refstore", "refstore/git"},
	"internal/scenario":   {"std"},
	"internal/host":       {"std", "golang.org/x/sys/..."},
	"internal/observe":    {"std", "kernel/lease", "golang.org/x/sys/..."},
	"internal/setup":      {"std", "kernel/...", "refstore/...", "internal/facts", "internal/admit", "internal/hookset", "internal/ledger", "golang.org/x/sys/..."},
	"hooks":               {"pure", "kernel/...", "hooks/..."},
	"hooks/markdown":      {"pure", "github.com/yuin/goldmark/..."},
	"cmd":                 {"std", "kernel/...", "refstore/...", "internal/...", "hooks/...", "github.com/urfave/cli/v2"},
	"bench":               {"std", "kernel/...", "refstore/...", "internal/..."},
	"packaging":           {"std", "refstore/git"},
}

// pureStd is the part of the standard library that neither reaches the world
// outside the process nor draws random numbers. What it can still do to ask
// the time or to print is in impureNames.
var pureStd = []string{
	"bufio", "bytes", "cmp", "container/...", "context", "crypto/sha1", "crypto/sha256", "embed", "encoding", "encoding/...", "errors",
	"fmt", "hash", "hash/adler32", "hash/crc32", "hash/crc64", "hash/fnv", "io", "io/fs", "iter", "maps", "math", "math/big",
	"math/bits", "math/cmplx", "path", "reflect", "regexp", "regexp/syntax", "slices", "sort", "strconv", "strings", "sync",
	"sync/atomic", "time", "unicode", "unicode/...",
}

// impureNames are what pure folders may not use of the packages they may
// import: they are told the time, and they return what they have to say.
var impureNames = map[string][]string{
	"time":    {"After", "AfterFunc", "LoadLocation", "Local", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"},
	"context": {"WithDeadline", "WithDeadlineCause", "WithTimeout", "WithTimeoutCause"},
	"fmt":     {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
}

func TestArchitecture(t *testing.T) {
	problems, files := checkArchitecture(os.DirFS("."))
	for _, p := range problems {
		t.Error(p)
	}
	for _, folder := range []string{"cmd/git-dos", "kernel/verdict", "kernel/policy", "kernel/lane", "refstore"} {
		if files[folder] == 0 {
			t.Errorf("no Go files found in %s: the test looks in the wrong place", folder)
		}
	}
}

// checkArchitecture reads every Go file outside testdata and hidden folders,
// whatever its build constraints, and counts those it judged by folder.
func checkArchitecture(root fs.FS) (problems []string, files map[string]int) {
	files = map[string]int{}
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (name == "testdata" || strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		files[path.Dir(file)]++
		found, err := checkFile(file, src)
		problems = append(problems, found...)
		return err
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	return problems, files
}

func checkFile(file string, src []byte) (problems []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
	if err != nil {
		return nil, err
	}
	folder := path.Dir(file)
	allowed, ok := rulesFor(folder)
	if !ok {
		return []string{fmt.Sprintf("%s: no rule says what %s/ may import", file, folder)}, nil
	}
	pure := slices.Contains(allowed, "pure")
	names := map[string]string{} // what a package is called in this file
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		if !permitted(allowed, folder, imp) {
			problems = append(problems, fmt.Sprintf("%s imports %s, which %s/ may not", file, imp, folder))
		}
		name := path.Base(imp)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if pure && name == "." {
			problems = append(problems, fmt.Sprintf("%s imports %s without a name", file, imp))
		}
		names[name] = imp
	}
	if pure {
		problems = append(problems, impureUses(f, file, names)...)
	}
	return problems, nil
}

// impureUses finds the names of impureNames, and the built-in functions that
// print.
func impureUses(f *ast.File, file string, names map[string]string) (problems []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			if imp := names[identName(pkg, ok)]; slices.Contains(impureNames[imp], n.Sel.Name) {
				problems = append(problems, fmt.Sprintf("%s uses %s.%s", file, imp, n.Sel.Name))
			}
		case *ast.CallExpr:
			if fun, ok := n.Fun.(*ast.Ident); ok && (fun.Name == "print" || fun.Name == "println") {
				problems = append(problems, fmt.Sprintf("%s uses %s", file, fun.Name))
			}
		}
		return true
	})
	return problems
}

func identName(id *ast.Ident, ok bool) string {
	if !ok {
		return ""
	}
	return id.Name
}

// rulesFor finds the rule of the longest folder that contains this one.
func rulesFor(folder string) ([]string, bool) {
	for ; folder != "."; folder = path.Dir(folder) {
		if allowed, ok := importRules[folder]; ok {
			return allowed, true
		}
	}
	return nil, false
}

func permitted(allowed []string, folder, imp string) bool {
	if imp == "C" || imp == "unsafe" {
		return false
	}
	if own, ok := strings.CutPrefix(imp, ownModule); ok {
		return own == folder || matchesAny(allowed, own)
	}
	if host, _, _ := strings.Cut(imp, "/"); strings.Contains(host, ".") {
		return matchesAny(allowed, imp)
	}
	return slices.Contains(allowed, "std") || slices.Contains(allowed, "pure") && matchesAny(pureStd, imp)
}

func matchesAny(list []string, imp string) bool {
	return slices.ContainsFunc(list, func(rule string) bool {
		tree, ok := strings.CutSuffix(rule, "/...")
		return imp == rule || ok && (imp == tree || strings.HasPrefix(imp, tree+"/"))
	})
}

// The rules reject what they are there to reject.
func TestArchitectureRejects(t *testing.T) {
	tests := []struct{ claim, file, src, want string }{
		{"the kernel opens no files", "kernel/x/a.go", `import "os"`, "imports os"},
		{"the kernel starts no processes", "kernel/x/a.go", `import "os/exec"`, "imports os/exec"},
		{"the kernel walks no folders", "kernel/x/a.go", `import "path/filepath"`, "imports path/filepath"},
		{"the kernel has no network", "kernel/x/a.go", `import "net/http"`, "imports net/http"},
		{"the kernel makes no system calls", "kernel/x/a.go", `import "syscall"`, "imports syscall"},
		{"the kernel does not log", "kernel/x/a.go", `import "log/slog"`, "imports log/slog"},
		{"the kernel throws no dice", "kernel/x/a.go", `import "math/rand/v2"`, "imports math/rand/v2"},
		{"the kernel makes no keys", "kernel/x/a.go", `import "crypto/rand"`, "imports crypto/rand"},
		{"hashes with a random seed are dice", "kernel/x/a.go", `import "hash/maphash"`, "imports hash/maphash"},
		{"the kernel has no escape hatch", "kernel/x/a.go", `import "unsafe"`, "imports unsafe"},
		{"the kernel does not ask the time", "kernel/x/a.go", "import \"time\"\nvar a = time.Now()", "uses time.Now"},
		{"not even as a value", "kernel/x/a.go", "import \"time\"\nvar a = time.Since", "uses time.Since"},
		{"not under another name", "kernel/x/a.go", "import t \"time\"\nvar a = t.Now", "uses time.Now"},
		{"not without a name", "kernel/x/a.go", "import . \"time\"\nvar a = Now", "without a name"},
		{"not through a deadline", "kernel/x/a.go", "import \"context\"\nvar a = context.WithTimeout", "uses context.WithTimeout"},
		{"the kernel does not print", "kernel/x/a.go", "import \"fmt\"\nfunc f() { fmt.Println() }", "uses fmt.Println"},
		{"not with the built-in either", "kernel/x/a.go", "func f() { println() }", "uses println"},
		{"build constraints hide nothing", "kernel/x/a_plan9.go", "//go:build plan9\n\nimport \"os\"", "imports os"},
		{"hooks are as pure", "hooks/a.go", `import "os"`, "imports os"},
		{"hooks do not ask the time", "hooks/a.go", "import \"time\"\nvar a = time.Now", "uses time.Now"},
		{"hooks do not reach git", "hooks/a.go", `import "` + ownModule + `refstore"`, "imports " + ownModule + "refstore"},
		{"a judgement does not know another", "kernel/x/a.go", `import "` + ownModule + `kernel/lane"`, "kernel/lane"},
		{"lanes do not know the policy file", "kernel/lane/a.go", `import "` + ownModule + `kernel/policy"`, "kernel/policy"},
		{"verdicts know nobody", "kernel/verdict/a.go", `import "` + ownModule + `kernel/policy"`, "kernel/policy"},
		{"only the policy reads TOML", "kernel/x/a.go", `import "github.com/pelletier/go-toml/v2"`, "go-toml"},
		{"only one package reads Markdown", "hooks/a.go", `import "github.com/yuin/goldmark/ast"`, "goldmark"},
		{"the store does not judge", "refstore/a.go", `import "` + ownModule + `kernel/verdict"`, "kernel/verdict"},
		{"running git needs no library", "refstore/git/a.go", `import "github.com/go-git/go-git/v5"`, "go-git"},
		{"only commands know the command line", "internal/facts/a.go", `import "github.com/urfave/cli/v2"`, "urfave"},
		{"commands reach git through the store", "cmd/git-dos/a.go", `import "github.com/go-git/go-git/v5"`, "go-git"},
		{"test libraries stay in tests", "cmd/git-dos/a.go", `import "github.com/rogpeppe/go-internal/testscript"`, "go-internal"},
		{"nobody has an escape hatch", "refstore/a.go", `import "unsafe"`, "imports unsafe"},
		{"nobody calls C", "refstore/a.go", `import "C"`, "imports C"},
		{"a longer name is another tree", "refstore/a.go", `import "github.com/klauspost/compressed"`, "compressed"},
		{"a longer name is another package", "cmd/git-dos/a.go", `import "github.com/urfave/cli/v2x"`, "v2x"},
		{"a new folder needs a rule", "util/a.go", "", "no rule"},
		{"the root holds no code", "a.go", "", "no rule"},
		{"what cannot be read is not judged well", "kernel/x/a.go", "func {", "expected"},
	}
	for _, tt := range tests {
		src := "package p\n" + tt.src
		if constraint, rest, ok := strings.Cut(tt.src, "\n\n"); ok {
			src = constraint + "\n\npackage p\n" + rest
		}
		problems, _ := checkArchitecture(fstest.MapFS{tt.file: {Data: []byte(src)}})
		if len(problems) != 1 || !strings.Contains(problems[0], tt.want) {
			t.Errorf("%s: %q, want one problem with %q", tt.claim, problems, tt.want)
		}
	}
}

// They accept what is in order, and every rule is about a folder that could
// exist.
func TestArchitectureAccepts(t *testing.T) {
	tree := fstest.MapFS{
		"kernel/x/a.go":        {Data: []byte("package x\nimport (\"time\"; \"fmt\"; \"unicode/utf8\"; \"" + ownModule + "kernel/verdict\")\nvar a = time.Unix")},
		"kernel/x/a_test.go":   {Data: []byte("package x\nimport \"os\"")},
		"kernel/policy/a.go":   {Data: []byte("package policy\nimport \"github.com/pelletier/go-toml/v2/unstable\"")},
		"refstore/a.go":        {Data: []byte("package refstore\nimport (\"os\"; \"github.com/klauspost/compress/zstd\")")},
		"cmd/git-dos/a.go":     {Data: []byte("package main\nimport (\"os\"; \"" + ownModule + "refstore/ancestry\"; \"github.com/urfave/cli/v2\")")},
		"kernel/testdata/a.go": {Data: []byte("not go")},
		".ci/a.go":             {Data: []byte("not go")},
	}
	problems, files := checkArchitecture(tree)
	if want := map[string]int{"kernel/x": 1, "kernel/policy": 1, "refstore": 1, "cmd/git-dos": 1}; len(problems) > 0 || !maps.Equal(files, want) {
		t.Errorf("%q, %v; want no problem and %v", problems, files, want)
	}
}
