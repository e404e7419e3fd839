package audit

import (
	"math/rand/v2"
	"testing"
)

func TestSettledTellsWhatCountsCannotChange(t *testing.T) {
	changed := func(paths ...string) (files []File) {
		for _, p := range paths {
			files = append(files, File{Path: p})
		}
		return files
	}
	all := func(File) bool { return true }
	none := func(File) bool { return false }
	tests := []struct {
		claim   string
		subject string
		files   []File
		solid   func(File) bool
		want    bool
	}{
		{"no claim", "lanes: what holds", changed("a.go"), none, true},
		{"a claim over nothing", "fix: it", nil, none, true},
		{"an effect over code", "fix: it", changed("a.go"), all, true},
		{"an effect over what may be white space", "fix: it", changed("a.go"), none, false},
		{"an effect over a mode", "fix: it", []File{{Path: "a.go", ModeOnly: true}}, all, false},
		{"an effect over tests", "fix: it", changed("a_test.go"), all, false},
		{"an effect over configuration", "fix: it", changed("a.yml"), all, true},
		{"an effect over documents", "fix: it", changed("a.md"), all, false},
		{"documents", "docs: it", changed("a.md", "a.go"), none, true},
		{"documents over code", "docs: it", changed("a.go"), all, false},
		{"tests", "test: it", changed("a_test.go"), all, true},
		{"more tests, of which some may be gone", "test: add more", changed("a_test.go"), all, false},
		{"tests over what may be white space", "test: it", changed("a_test.go"), none, false},
	}
	for _, tt := range tests {
		if got := Settled(Change{Subject: tt.subject, Files: tt.files}, tt.solid); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.claim, got, tt.want)
		}
	}
	if !Silent("Merge branch 'docs'") || Silent("comments: of the api") || Silent("fix: it") {
		t.Error("what is silent")
	}
}

// Whatever is counted later, the outcome stands.
func TestWhatIsSettledStays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	subjects := []string{
		"fix: the parser", "test: add more cases", "test: the parser", "tests pass", "docs: it", "comments in the api", "typo", "chore: x",
		"ci: run it", "chmod the script", "fix indentation", "add README", "move tests", "fix .gitignore", "merge x", "lane: what holds", "build(docs): x", "",
	}
	paths := []string{"a.go", "x/a_test.go", "testdata/a.md", "a.md", "a.yml", ".github/workflows/x.yml", "a.png", ".gitignore", "docs/a.go", "Makefile", "go.sum"}
	settled := 0
	for range 20_000 {
		c := Change{ID: "x", Subject: subjects[random.IntN(len(subjects))]}
		solid := map[string]bool{}
		for _, i := range random.Perm(len(paths))[:random.IntN(4)] {
			c.Files = append(c.Files, File{Path: paths[i], ModeOnly: random.IntN(6) == 0, Link: random.IntN(20) == 0})
			solid[paths[i]] = random.IntN(2) == 0
		}
		if !Settled(c, func(f File) bool { return solid[f.Path] }) {
			continue
		}
		settled++
		want := Audit(c).Outcome
		for range 8 {
			counted := c
			counted.Files = nil
			for _, f := range c.Files {
				if !f.ModeOnly {
					f.WhitespaceOnly = !solid[f.Path] && random.IntN(2) == 0
					f.Binary = !f.WhitespaceOnly && random.IntN(5) == 0
				}
				if !f.hollow() && !f.Binary {
					f.Added, f.Deleted = random.IntN(3), random.IntN(3)
				}
				counted.Files = append(counted.Files, f)
			}
			if got := Audit(counted).Outcome; got != want {
				t.Fatalf("%q over %+v is %s, and was settled as %s", c.Subject, counted.Files, got, want)
			}
			if Silent(c.Subject) && want != Abstain {
				t.Fatalf("%q is silent and comes to %s", c.Subject, want)
			}
		}
	}
	if settled < 1000 {
		t.Errorf("only %d were settled", settled)
	}
}
