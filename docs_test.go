package gitdos_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// goFiles calls f with the folder and the text of every Go file.
func goFiles(t *testing.T, f func(folder, file, text string)) {
	t.Helper()
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		text, err := fs.ReadFile(root, file)
		f(path.Dir(file), file, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ARCHITECTURE.md names every package on a line of its tree, and every test
// that it says holds an invariant is there.
func TestArchitectureDocument(t *testing.T) {
	text := document(t, "ARCHITECTURE.md")
	folders, tests := map[string]bool{}, map[string]bool{}
	goFiles(t, func(folder, file, source string) {
		if !strings.HasSuffix(file, "_test.go") {
			folders[folder] = true
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(source, -1) {
			tests[m[1]] = true
		}
	})
	for folder := range folders {
		if !strings.Contains(text, "\n"+folder+"/ ") {
			t.Errorf("the tree does not name %s/", folder)
		}
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1)
	for _, m := range named {
		if !tests[m[1]] {
			t.Errorf("there is no test %s", m[1])
		}
	}
	if len(folders) < 10 || len(named) < 6 {
		t.Errorf("%d folders, %d named tests: the test looks in the wrong place", len(folders), len(named))
	}
}

// Imports go down the tree of ARCHITECTURE.md.
func TestImportsGoDownTheArchitecture(t *testing.T) {
	place := map[string]int{}
	for i, line := range strings.Split(document(t, "ARCHITECTURE.md"), "\n") {
		if folder, _, ok := strings.Cut(line, "/ "); ok && !strings.ContainsAny(folder, " `|") {
			place[folder] = i
		}
	}
	seen := 0
	goFiles(t, func(folder, file, source string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, m := range regexp.MustCompile(`"`+ownModule+`([a-z/-]+)"`).FindAllStringSubmatch(source, -1) {
			seen++
			if from, to := place[folder], place[m[1]]; from == 0 || to == 0 || from >= to && folder != m[1] {
				t.Errorf("%s imports %s, which stands above it", file, m[1])
			}
		}
	})
	if seen < 100 {
		t.Errorf("%d imports seen: the test looks in the wrong place", seen)
	}
}

// Links between the documents lead somewhere.
func TestDocumentsLinkToWhatIsThere(t *testing.T) {
	seen := 0
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "AGENTS.md", "CHANGELOG.md", "docs/formats.md", "docs/ships.md", "docs/dos.toml.md", "docs/limits.md", "docs/migration.md", "docs/tutorial-first-hour.md", "docs/tutorial-one-machine.md", "docs/tutorial-many-machines.md", "docs/tutorial-server-hooks.md"} {
		for _, m := range regexp.MustCompile(`\]\(([^):#]+)\)|`+"`(docs/[^`]+\\.md)`").FindAllStringSubmatch(document(t, name), -1) {
			target := m[2]
			if target == "" {
				target = path.Join(path.Dir(name), m[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s points to %s: %v", name, target, err)
			}
			seen++
		}
	}
	if seen < 4 {
		t.Errorf("%d links seen: the test looks in the wrong place", seen)
	}
}
