package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"

	"github.com/urfave/cli/v2"
)

// configPersonal are the settings of a clone, which no dos.toml has: what the
// environment says of them is stronger than git config. One without a variable is
// a switch: an empty value is a word on it too, and its key alone is true.
var configPersonal = []struct{ key, variable string }{
	{"dos.remote", "GIT_DOS_REMOTE"},
	{"dos.node", "GIT_DOS_NODE"},
	{"dos.owner", "GIT_DOS_OWNER"},
	{"dos.color", ""},
	{"dos.sign", ""},
}

// A configPlace is one value that git has for a key.
type configPlace struct{ scope, origin, key, value string }

// configGit is what git config has under dos, -c, includes and worktree
// settings considered, weakest first.
func configGit(c *cli.Context, repo *refstore.Repo) ([]configPlace, error) {
	out, err := repo.Git.Output(c.Context, "config", "-z", "--show-scope", "--show-origin", "--get-regexp", `^dos\.`)
	if git.Code(err) == 1 {
		return nil, nil // nothing is set
	}
	if err != nil {
		return nil, environmentf("git config: %w", err)
	}
	parts := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(parts)%3 != 0 {
		return nil, environmentf("git config: the answer is not git's")
	}
	var places []configPlace
	for p := range slices.Chunk(parts, 3) {
		key, value, stated := strings.Cut(p[2], "\n")
		if !stated && configSwitch(key) {
			value = "true"
		}
		places = append(places, configPlace{p[0], p[1], key, value})
	}
	return places, nil
}

func configSwitch(key string) bool {
	for _, p := range configPersonal {
		if p.key == key {
			return p.variable == ""
		}
	}
	return false
}

// configOwn are the settings of this clone: the environment, then git config,
// then what stands in where both are silent.
func configOwn(places []configPlace, remote string) []configRow {
	var rows []configRow
	for _, p := range configPersonal {
		rows = append(rows, configOne(p.key, p.variable, places, remote))
	}
	for i, p := range places {
		last := !slices.ContainsFunc(places[i+1:], func(q configPlace) bool { return q.key == p.key })
		if last && !slices.ContainsFunc(rows, func(r configRow) bool { return r.Key == p.key }) {
			rows = append(rows, p.row())
		}
	}
	return rows
}

func configOne(key, variable string, places []configPlace, remote string) configRow {
	for _, v := range variablesIn(variable) {
		for _, name := range v.Names {
			if value := os.Getenv(name); value != "" {
				return configRow{Key: key, Value: value, Origin: "environment", Source: name}
			}
		}
	}
	for _, p := range slices.Backward(places) {
		if p.key == key && (p.value != "" || configSwitch(key)) {
			return p.row()
		}
	}
	row := configRow{Key: key, Origin: "default"}
	switch key {
	case "dos.remote":
		if row.Value = remote; remote != "" {
			row.Source = "the only remote"
		}
	case "dos.node":
		row.Source = "made when it is first needed"
	case "dos.owner":
		row.Source = "the user on this node"
	case "dos.color":
		row.Source = "as color.dos or color.ui has it"
	case "dos.sign":
		row.Value = "false"
	}
	return row
}

func (p configPlace) row() configRow {
	return configRow{Key: p.key, Value: p.value, Origin: "git config", Scope: p.scope, Source: strings.TrimPrefix(p.origin, "file:")}
}

// origin is where a value comes from, on one line.
func (r configRow) origin() string {
	switch {
	case r.Line > 0:
		return fmt.Sprintf("%s:%d", r.Source, r.Line)
	case r.Scope != "":
		return fmt.Sprintf("git config, %s: %s", r.Scope, r.Source)
	case r.Source != "":
		return r.Origin + ": " + r.Source
	}
	return r.Origin
}
