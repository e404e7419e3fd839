// Command leakrules takes the rules of kernel/leak over from a release of
// gitleaks: it reads the rule file of that release from the module cache, and
// writes what the scanner needs of it, one rule a line, with the licence
// beside it.
//
// It is run by hand, in kernel/leak, with go generate. Nothing of gitleaks is
// linked into git-dos.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

const module = "github.com/zricethezav/gitleaks/v8"

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("name the version to take, as in v8.30.1"))
	}
	fail(take(os.Args[1]))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "leakrules:", err)
		os.Exit(2)
	}
}

// take writes gitleaks.jsonl and gitleaks.LICENSE to the current folder.
func take(version string) error {
	dir, err := moduleDir(version)
	if err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(licence, []byte("MIT License\n")) {
		return fmt.Errorf("the licence of %s is no longer MIT: read it before taking rules", version)
	}
	text, err := os.ReadFile(filepath.Join(dir, "config", "gitleaks.toml"))
	if err != nil {
		return err
	}
	var f file
	if err := toml.Unmarshal(text, &f); err != nil {
		return err
	}
	out, err := f.lines(version, copyright(string(licence)))
	if err != nil {
		return err
	}
	if err := os.WriteFile("gitleaks.LICENSE", licence, 0o644); err != nil {
		return err
	}
	return os.WriteFile("gitleaks.jsonl", out, 0o644)
}

func moduleDir(version string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	cmd.Dir = os.TempDir() // outside this module, whose go.mod stays as it is
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("download %s@%s: %w", module, version, err)
	}
	var at struct{ Dir string }
	err = json.Unmarshal(out, &at)
	return at.Dir, err
}

func copyright(licence string) string {
	for line := range strings.Lines(licence) {
		if strings.HasPrefix(line, "Copyright") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// A file is gitleaks' rule file.
type file struct {
	Allowlist allow `toml:"allowlist"`
	Rules     []struct {
		ID          string   `toml:"id"`
		Regex       string   `toml:"regex"`
		Path        string   `toml:"path"`
		SecretGroup int      `toml:"secretGroup"`
		Entropy     float64  `toml:"entropy"`
		Keywords    []string `toml:"keywords"`
		Allowlists  []allow  `toml:"allowlists"`
	} `toml:"rules"`
}

// An allow is what is no secret after all, in both formats.
type allow struct {
	Condition   string   `toml:"condition" json:"condition,omitempty"`
	Paths       []string `toml:"paths" json:"paths,omitempty"`
	RegexTarget string   `toml:"regexTarget" json:"target,omitempty"`
	Regexes     []string `toml:"regexes" json:"regexes,omitempty"`
	StopWords   []string `toml:"stopwords" json:"stop,omitempty"`
}

type header struct {
	Source  string `json:"source"`
	Version string `json:"version"`
	Licence string `json:"licence"`
	Allow   allow  `json:"allow"`
}

type rule struct {
	ID      string   `json:"id"`
	Regex   string   `json:"regex"`
	Group   int      `json:"group,omitempty"`
	Entropy float64  `json:"entropy,omitempty"`
	Words   []string `json:"words"`
	Reach   int      `json:"reach,omitempty"`    // the longest match in bytes; 0 unbounded
	Lines   bool     `json:"lines,omitempty"`    // a match may span lines
	Far     bool     `json:"far,omitempty"`      // a word need not stand in the match
	Least   int      `json:"least,omitempty"`    // the shortest match in bytes, without what ends it
	Bytes   string   `json:"bytes,omitempty"`    // of which it consists
	Assign  bool     `json:"assigned,omitempty"` // an assignment follows the word
	Path    string   `json:"path,omitempty"`
	Allow   []allow  `json:"allow,omitempty"`
}

// lines writes the header and the rules. A rule about names of files alone
// finds nothing in text, and is left out.
func (f file) lines(version, copyright string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(header{module, version, "MIT. " + copyright, f.Allowlist}); err != nil {
		return nil, err
	}
	for _, r := range f.Rules {
		if r.Regex == "" {
			continue
		}
		words := slices.Clone(r.Keywords)
		for i := range words {
			words[i] = strings.ToLower(words[i])
		}
		shape, err := shapeOf(r.Regex, words)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("rule %s has no keyword, and would be tried on every text", r.ID)
		}
		run, err := runOf(r.Regex)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		err = enc.Encode(rule{ID: r.ID, Regex: r.Regex, Group: r.SecretGroup, Entropy: r.Entropy, Words: words,
			Reach: shape.reach, Lines: shape.lines, Far: shape.far, Least: run.least, Bytes: run.bytes,
			Assign: assignedTo(r.Regex, words), Path: r.Path, Allow: r.Allowlists})
		if err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
