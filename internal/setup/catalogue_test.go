package setup

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/hookset"
)

var update = flag.Bool("update", false, "rewrite docs/doctor.md")

func TestCatalogueHasNumbersInOrderAndRemediesForErrors(t *testing.T) {
	last, words := "", map[string]bool{}
	remedies := map[string]bool{"REFS": true, "SUBMODULE": true, "WORKSPACE": true} // each finding has its own, or none
	for _, k := range Catalogue() {
		if !regexp.MustCompile(`^D\d{3}$`).MatchString(k.Number) || k.Number <= last {
			t.Errorf("%s %s does not come after %s", k.Number, k.ID, last)
		}
		last = k.Number
		if words[k.ID] {
			t.Errorf("%s is there twice", k.ID)
		}
		words[k.ID] = true
		if k.Says == "" || (k.Severity == Error && k.Remedy == "" && !remedies[k.ID]) {
			t.Errorf("%s: says %q, remedy %q", k.ID, k.Says, k.Remedy)
		}
	}
}

// Every word that the package gives a check has a number, and every number is used.
func TestEveryCheckIsInTheCatalogue(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{hookset.GateNotArmed: true}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "catalogue.go" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"([A-Z][A-Z_]{2,})"`).FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
		}
	}
	for _, gits := range []string{"HEAD", "GIT_COMMITTER_IDENT", "GIT_DOS_REMOTE"} {
		delete(used, gits)
	}
	for id := range used {
		if numbers()[id] == "" {
			t.Errorf("%s has no number", id)
		}
	}
	for id := range numbers() {
		if !used[id] {
			t.Errorf("%s is given to no check", id)
		}
	}
}

const documentHead = `# What doctor looks at

` + "`git dos doctor`" + ` prints what it looked at: how grave it is, a number and a word that never change their meaning, the ref,
file or setting it is about, and below it what to do. An error keeps some verb from working or from being believed, a
warning is likely to, one day. ` + "`--check`" + ` makes errors the exit status, and ` + "`--json`" + ` has the same under the keys of
[formats.md](formats.md). What cannot be looked at is an error, never passed over.

Without a flag nothing is changed. ` + "`--fix`" + ` puts right what is provably git-dos's own, and says so: lock files that killed
writers left on refs of git-dos, a minute old, not touched while it looks, and empty or holding an entry that stands on
the ref's tip; what a cut-off write left; temporary folders, a minute old, whose process is gone; the node id of a clone that
is a copy of another; hooks that ` + "`git dos hooks install`" + ` had put there, where nothing of others is in the way. With
` + "`--remote`" + ` it removes such lock files there too, where the remote is a path of this machine. Everything else is left to
whoever owns it.

*at worst* is the gravest that a check can be. Those from D080 on are made with ` + "`--remote`" + `. This page is made from the
table in the code: ` + "`go test ./internal/setup -update`" + `.

| number | word | at worst | what it says | what to do | ` + "`--fix`" + ` |
|---|---|---|---|---|---|
`

func TestDoctorDocumentIsTheCatalogue(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(documentHead)
	for _, k := range Catalogue() {
		fixed := ""
		if k.Fixed {
			fixed = "yes"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", k.Number, k.ID, k.Severity, k.Says, k.Remedy, fixed)
	}
	const path = "../../docs/doctor.md"
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), b.Bytes()) {
		t.Error("docs/doctor.md is not the catalogue's: run go test ./internal/setup -update")
	}
}
