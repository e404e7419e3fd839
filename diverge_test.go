package gitdos_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// divergences is how many ways there are in which this kernel decides otherwise
// than the one its vectors come from.
const divergences = 25

// Each of them is held by a test or a script that bears its number.
func TestEveryDivergenceIsANamedTest(t *testing.T) {
	named := regexp.MustCompile(`(?m)^func TestD(\d\d)[A-Z]`)
	story := regexp.MustCompile(`^testdata/scripts/d(\d\d)_.*\.txtar$`)
	found := map[string][]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		script := story.FindStringSubmatch(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != ".":
			return fs.SkipDir
		case script != nil:
			found[script[1]] = append(found[script[1]], path)
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range named.FindAllSubmatch(text, -1) {
				found[string(m[1])] = append(found[string(m[1])], path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= divergences; n++ {
		if number := fmt.Sprintf("%02d", n); len(found[number]) == 0 {
			t.Errorf("no test is named TestD%s... and no script d%s_...", number, number)
		}
	}
}
