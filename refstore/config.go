package refstore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore/git"
)

// Config is what git says of this repository's settings, -c, includes and
// environment considered. Keys are lower case but for a subsection.
type Config struct{ values map[string][]string }

// Get returns the last value of key, "" when unset.
func (c Config) Get(key string) string {
	v := c.values[key]
	if len(v) == 0 {
		return ""
	}
	return v[len(v)-1]
}

// All returns every value of key, in the order git has them.
func (c Config) All(key string) []string { return slices.Clone(c.values[key]) }

// Remotes returns the names of the configured remotes, sorted.
func (c Config) Remotes() []string {
	var names []string
	for key := range c.values {
		name, ok := strings.CutPrefix(key, "remote.")
		if name, isURL := strings.CutSuffix(name, ".url"); ok && isURL {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Config reads the settings git-dos uses, once per Repo, in one process.
func (r *Repo) Config() (Config, error) { return r.config() }

func readConfig(ctx context.Context, run git.Runner) (Config, error) {
	out, err := run.Output(ctx, "config", "-z", "--get-regexp",
		`^(dos\..*|remote\..*\.(url|pushurl)|url\..*\.pushinsteadof|core\.(sshcommand|fsync|fsyncobjectfiles|sharedrepository)|ssh\.variant)$`)
	var g *git.Error
	if errors.As(err, &g) && g.Code == 1 {
		err = nil // nothing is set
	}
	c := Config{values: map[string][]string{}}
	for record := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(record, "\n")
		if key != "" {
			c.values[key] = append(c.values[key], value)
		}
	}
	return c, err
}
