package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/refstore"
)

// fleetID names the fleet of every remote made here.
const fleetID = "fleet-bench"

// beatName is what beats in every repository made here.
const beatName = "bench"

// What a dos.toml says of a fleet.
const (
	noFleet   = ""
	direct    = `lanes = "all"` // every lane is decided on the remote
	delegated = `keep = "1h"`   // nodes take lanes for their workers
)

// rules is a dos.toml with n lanes, l0 and up, on folders of their own.
func rules(n int, fleet string) string {
	var b strings.Builder
	b.WriteString("[overlap]\npolicy = \"glob\"\n\n[heartbeats]\n" + beatName + " = \"24h\"\n")
	if fleet != noFleet {
		fmt.Fprintf(&b, "\n[fleet]\nid = %q\n%s\n", fleetID, fleet)
	}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%q", laneName(i)))
	}
	fmt.Fprintf(&b, "\n[lanes]\nconcurrent = [%s]\n\n[lanes.trees]\n", strings.Join(names, ", "))
	for i := range n {
		fmt.Fprintf(&b, "%[1]s = [\"%[1]s/**\"]\n", laneName(i))
	}
	return b.String()
}

func laneName(i int) string { return fmt.Sprintf("l%d", i) }

func (b *bench) newDir(name string) string {
	b.made++
	return filepath.Join(b.root, fmt.Sprintf("%d-%s", b.made, name))
}

// repo makes a repository with one commit that holds a dos.toml.
func (b *bench) repo(lanes int, fleet string) (string, error) {
	dir := b.newDir("repo")
	if err := b.quiet("", []string{"git", "init", "--quiet", dir}); err != nil {
		return "", err
	}
	return dir, b.commitRules(dir, lanes, fleet)
}

func (b *bench) commitRules(dir string, lanes int, fleet string) error {
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(rules(lanes, fleet)), 0o600); err != nil {
		return err
	}
	return b.quiet(dir, []string{"git", "add", "dos.toml"}, []string{"git", "commit", "--quiet", "-m", "rules"})
}

// hub makes a bare repository below root.
func (b *bench) hub(root, name string) (string, error) {
	dir := filepath.Join(root, name)
	return dir, b.quiet("", []string{"git", "init", "--quiet", "--bare", dir}, []string{"git", "-C", dir, "config", "http.receivepack", "true"})
}

// fleetRepo makes a repository whose lanes are decided on the remote at url,
// which it also sets up.
func (b *bench) fleetRepo(url string, config []string, lanes int) (string, error) {
	return b.fleetRepoOf(url, config, lanes, direct)
}

func (b *bench) fleetRepoOf(url string, config []string, lanes int, fleet string) (string, error) {
	dir, err := b.repo(lanes, fleet)
	if err != nil {
		return "", err
	}
	if err := b.addRemote(dir, url, config); err != nil {
		return "", err
	}
	return dir, b.quiet(dir,
		[]string{"git", "push", "--quiet", "origin", "main"}, []string{"git", "fetch", "--quiet", "origin"},
		[]string{"git", "remote", "set-head", "origin", "main"}, // as a clone has it
		[]string{b.dos, "init", "--remote", "origin"})
}

func (b *bench) addRemote(dir, url string, config []string) error {
	commands := [][]string{{"git", "remote", "add", "origin", url}}
	for _, kv := range config {
		key, value, _ := strings.Cut(kv, "=")
		commands = append(commands, []string{"git", "config", key, value})
	}
	return b.quiet(dir, commands...)
}

// emptyTree writes the empty tree into a repository.
func (b *bench) emptyTree(dir string) error {
	_, err := b.output(dir, "", "git", "hash-object", "-t", "tree", "-w", "--stdin")
	return err
}

// commitTree makes a commit of the empty tree in a repository.
func (b *bench) commitTree(dir, parent string) (string, error) {
	args := []string{"git", "commit-tree", string(refstore.SHA1.EmptyTree()), "-m", "entry"}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	return b.output(dir, "", args...)
}
