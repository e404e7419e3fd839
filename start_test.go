package gitdos_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// mostPairs is how many pairs a map may have that is made before main runs.
const mostPairs = 8

// cheapCalls are what a package's variables may be made by. Of those that take a
// function, that is called when it is first asked for; pattern is such a one.
var cheapCalls = []string{
	"append", "len", "slices.Clone", "filepath.Join", "errors.New", "fmt.Errorf", "sync.OnceValue", "sync.OnceValues", "pattern",
}

// What a package makes ready before main runs is paid by every process, and most of
// them never ask for it: a pattern, a template or a table is made when it is first
// asked for. What the compiler lays out itself costs nothing: lists, texts, structs.
func TestNothingIsMadeBeforeItIsAskedFor(t *testing.T) {
	seen := 0
	goFiles(t, func(folder, file, source string) {
		if strings.HasSuffix(file, "_test.go") || slices.Contains(otherPrograms, folder) {
			return
		}
		found, variables := madeEarly(t, source)
		seen += variables
		for _, what := range found {
			t.Errorf("%s: %s is made before main runs", file, what)
		}
	})
	if seen < 300 {
		t.Errorf("%d variables seen: the test looks in the wrong place", seen)
	}
}

// otherPrograms are folders of which nothing is linked into git-dos.
var otherPrograms = []string{"bench", "packaging", "internal/leakrules", "internal/scenario"}

// madeEarly is what the variables of a file are made of before main runs that can
// wait, and how many variables it looked at.
func madeEarly(t *testing.T, source string) (found []string, variables int) {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				found = append(found, "what init does")
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok || d.Tok != token.VAR || v.Names[0].Name == "_" {
					continue
				}
				variables += len(v.Names)
				for _, value := range v.Values {
					for _, what := range early(files, value) {
						found = append(found, v.Names[0].Name+", "+what)
					}
				}
			}
		}
	}
	return found, variables
}

// early is what an expression makes that can wait. The body of a function does,
// unless it is called on the spot for more than a table of bytes.
func early(files *token.FileSet, value ast.Expr) (found []string) {
	ast.Inspect(value, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if name := called(files, n); !slices.Contains(cheapCalls, name) && !ofBytes(n.Fun) {
				found = append(found, "by calling "+name)
			}
		case *ast.CompositeLit:
			if _, isMap := n.Type.(*ast.MapType); isMap && len(n.Elts) > mostPairs {
				found = append(found, fmt.Sprintf("a map of %d pairs", len(n.Elts)))
			}
		}
		return true
	})
	return found
}

func called(files *token.FileSet, call *ast.CallExpr) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, files, call.Fun) // what was parsed is printed
	name, _, _ := strings.Cut(b.String(), "\n")
	return name
}

// ofBytes reports whether it is a function literal that makes a table with a place for
// each byte.
func ofBytes(fun ast.Expr) bool {
	f, ok := fun.(*ast.FuncLit)
	if !ok || f.Type.Results == nil {
		return false
	}
	a, ok := f.Type.Results.List[0].Type.(*ast.ArrayType)
	return ok && a.Len != nil
}

func TestWhatIsMadeEarly(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{`var a = []string{"x"}; var b = errors.New("x"); type c = map[string]int; var d c`, ""},
		{`var a = regexp.MustCompile("x")`, "[a, by calling regexp.MustCompile]"},
		{"var (\n\ta = 1\n\tb = regexp.MustCompile(`x`)\n)", "[b, by calling regexp.MustCompile]"},
		{`var a = sync.OnceValue(func() int { return slow() })`, ""},
		{`var a = sync.OnceValue(slow())`, "[a, by calling slow]"},
		{`var a = func() [256]byte { return slow() }()`, ""},
		{`var a = func() []byte { return slow() }()`, "[a, by calling func() []byte { return slow() }]"},
		{`var a = map[int]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8}`, ""},
		{`var a = map[int]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9}`, "[a, a map of 9 pairs]"},
		{`var a = struct{ m map[int]int }{map[int]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9}}`, "[a, a map of 9 pairs]"},
		{`func init() { slow() }`, "[what init does]"},
		{`func (a b) init() { slow() }; func c() { var d = slow() }; const e = len("x")`, ""},
	} {
		found, _ := madeEarly(t, "package p\n"+test.source)
		if got := strings.TrimPrefix(fmt.Sprint(found), "[]"); got != test.want {
			t.Errorf("%s: %s, want %s", test.source, got, test.want)
		}
	}
}
