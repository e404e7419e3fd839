package main

import (
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/agentset"
)

// initAgents puts into the work tree what agents read there, or takes it out.
func initAgents(c *cli.Context) error {
	for _, name := range []string{"remote", "prefix", "undo"} {
		if c.IsSet(name) {
			return usagef("--agents and --%s are two things", name).hint("run init once for each; --agents --remove takes out what --agents wrote")
		}
	}
	folders, err := initAgentsFolders(c)
	if err != nil {
		return err
	}
	top, err := agentTop(c)
	if err != nil {
		return err
	}
	remove, dry := c.Bool("remove"), c.Bool("dry-run")
	section := agentset.WithSection
	if remove {
		section = agentset.WithoutSection
	}
	a := agentFiles{DryRun: dry}
	done, err := agentset.Edit(top, agentset.AgentsFile, dry, section)
	for i := 0; err == nil; i++ {
		a.Files = append(a.Files, done)
		texts := agentset.Texts(folders)
		if i == len(texts) {
			break
		}
		done, err = agentset.Put(top, texts[i], remove, dry)
	}
	if err != nil {
		return environmentf("%w", err).hint("put that right and run it again; what was done already is left as it is")
	}
	if !remove {
		a.Next = "git dos hook-agent install has Claude Code held to its lease; commit the files that all shall have"
	}
	return answer(c, a)
}

// initAgentsFolders are the folders of skills, below the top.
func initAgentsFolders(c *cli.Context) ([]string, error) {
	if !c.IsSet("skills") {
		return agentset.SkillFolders, nil
	}
	var folders []string
	for _, f := range c.StringSlice("skills") {
		clean := path.Clean(strings.ReplaceAll(f, `\`, "/"))
		parts := strings.Split(clean, "/")
		if f == "" || clean == "." || path.IsAbs(clean) || strings.Contains(parts[0], ":") || parts[0] == ".." || slices.ContainsFunc(parts, func(p string) bool { return strings.EqualFold(p, ".git") }) {
			return nil, usagef("--skills %q is no folder below the top of the work tree", f)
		}
		if !slices.Contains(folders, clean) {
			folders = append(folders, clean)
		}
	}
	return folders, nil
}
