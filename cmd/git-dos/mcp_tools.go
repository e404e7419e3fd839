package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/mcpserver"
)

// An mcpOffer says which verb is a tool, and which of its operands and flags an
// agent may give. What ends a lease of others, what takes the caller's word in
// place of the record, and what starts or stops a process is in none of them; nor
// is a verb that reads standard input, of which a call has none.
type mcpOffer struct {
	verb     string
	operands []mcpserver.Param // Name, About, Kind, Required
	flags    []string
	nonce    bool // the lease may be named by its nonce
	writes   bool
	lines    bool
}

func mcpOperand(name, about string, required bool) mcpserver.Param {
	return mcpserver.Param{Name: name, About: about, Operand: true, Required: required}
}

// mcpOffers lists the tools. A new one adds a line here.
func mcpOffers() []mcpOffer {
	lane := mcpOperand("lane", "the lane", true)
	unit := mcpOperand("unit", "the unit, as PLAN/PHASE", true)
	run := mcpOperand("run", "the run; by default that of this worktree's lease", false)
	lanes := mcpserver.Param{Name: "lanes", About: "the lanes, all or none; without one a free lane is picked", Kind: mcpserver.Texts, Operand: true}
	words := mcpserver.Param{Name: "argv", About: "the command line, word by word; it is judged and not run", Kind: mcpserver.Texts, Operand: true, Required: true}
	return []mcpOffer{
		{verb: "lease live", flags: []string{"all", "cached"}},
		{verb: "lease show", operands: []mcpserver.Param{lane}, flags: []string{"cached"}},
		{verb: "lease log", operands: []mcpserver.Param{lane}, flags: []string{"limit", "cached"}, lines: true},
		{verb: "lease acquire", operands: []mcpserver.Param{lanes}, flags: []string{"any", "tree", "unit", "seat", "run-id", "owner", "ttl", "wait"}, nonce: true, writes: true},
		{verb: "lease heartbeat", operands: []mcpserver.Param{lane}, flags: []string{"run-id"}, nonce: true, writes: true},
		{verb: "lease release", operands: []mcpserver.Param{lane}, flags: []string{"run-id"}, nonce: true, writes: true},
		{verb: "arbitrate", operands: []mcpserver.Param{mcpOperand("lane", "the lane; without one a free one is looked for", false)}, flags: []string{"tree", "cached"}},
		{verb: "status", operands: []mcpserver.Param{run}, flags: []string{"cached"}},
		{verb: "liveness", operands: []mcpserver.Param{run}, flags: []string{"cached"}},
		{verb: "verify", operands: []mcpserver.Param{unit}, flags: []string{"ref", "floor", "explain", "cached"}},
		{verb: "reconcile", operands: []mcpserver.Param{unit}, flags: []string{"claimed-done", "cached"}},
		{verb: "commit-audit", operands: []mcpserver.Param{mcpOperand("commit", "one commit, or A..B; by default HEAD", false)}, flags: []string{"sweep"}, lines: true},
		{verb: "scope-gate", operands: []mcpserver.Param{lane}, flags: []string{"file", "staged", "cached"}},
		{verb: "guard", operands: []mcpserver.Param{words}},
		{verb: "decisions list", flags: []string{"all", "cached"}},
		{verb: "decisions show", operands: []mcpserver.Param{mcpOperand("id", "the entry, as the list names it", true)}, flags: []string{"cached"}},
		{verb: "next-up", flags: []string{"scope", "limit", "cached"}, writes: true},
		{verb: "pickable", operands: []mcpserver.Param{unit}, flags: []string{"cached"}},
		{verb: "cooldown", operands: []mcpserver.Param{unit}, flags: []string{"cached"}},
		{verb: "plan", flags: []string{"check", "ref", "cached"}},
		{verb: "queue list", flags: []string{"view", "top", "cached"}},
		{verb: "queue show", operands: []mcpserver.Param{mcpOperand("id", "the task", true)}, flags: []string{"cached"}},
		{verb: "loop", flags: []string{"target", "cached"}},
		{verb: "preflight", flags: []string{"cached"}},
		{verb: "log", flags: []string{"lane", "run-id", "limit", "cached"}, lines: true},
		{verb: "beat", operands: []mcpserver.Param{mcpOperand("name", "what has come round", true)}, flags: []string{"run-id", "check", "cached"}, writes: true},
		{verb: "pulse", flags: []string{"cached"}},
	}
}

// mcpTools are the offers with what the verbs themselves say of their flags and
// statuses.
func mcpTools() []mcpserver.Tool {
	commands, statuses := mcpCommands()
	var tools []mcpserver.Tool
	for _, o := range mcpOffers() {
		c := commands[o.verb]
		exit, _, _ := strings.Cut(c.Description, "\n")
		t := mcpserver.Tool{
			Name: strings.NewReplacer(" ", "_", "-", "_").Replace(o.verb), About: c.Usage + "\n" + exit, Words: strings.Fields(o.verb),
			Params: slices.Clone(o.operands), Writes: o.writes, Lines: o.lines, Meanings: map[int]string{},
		}
		for _, name := range o.flags {
			t.Params = append(t.Params, mcpParam(named(c.Flags, name), name))
		}
		if o.nonce {
			t.Params = append(t.Params, mcpserver.Param{Name: "nonce", About: "the nonce of the lease; by default that of this worktree's", Env: "GIT_DOS_NONCE"})
		}
		several := map[int]bool{}
		for _, s := range statuses[o.verb] {
			if several[s.Code] {
				delete(t.Meanings, s.Code) // the answer says which it is
				continue
			}
			several[s.Code], t.Meanings[s.Code] = true, s.Meaning
		}
		tools = append(tools, t)
	}
	return tools
}

// mcpCommands are the commands that can be run, by their full names.
func mcpCommands() (map[string]*cli.Command, map[string][]status) {
	commands, statuses := map[string]*cli.Command{}, map[string][]status{}
	for _, v := range allVerbs() {
		v.prepare(v.command, v.command.Name)
		leaves(v.command, v.command.Name, func(c *cli.Command, path string) { commands[path], statuses[path] = c, v.statuses[path] })
	}
	return commands, statuses
}

// mcpParam is a flag as an argument.
func mcpParam(f cli.Flag, name string) mcpserver.Param {
	p := mcpserver.Param{Name: strings.ReplaceAll(name, "-", "_"), Flag: name}
	switch f := f.(type) {
	case *cli.BoolFlag:
		p.Kind, p.About = mcpserver.Truth, f.Usage
	case *cli.IntFlag:
		p.Kind, p.About = mcpserver.Number, f.Usage
	case *cli.StringSliceFlag:
		p.Kind, p.About = mcpserver.Texts, f.Usage
	case *cli.StringFlag:
		p.About = f.Usage
	case cli.DocGenerationFlag:
		p.About = f.GetUsage()
	}
	p.About = strings.ReplaceAll(p.About, "`", "")
	return p
}
