package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// An invocation is a command line in the order urfave/cli can read: common
// flags, command names, the command's flags, "--", arguments.
//
// urfave/cli stops looking for flags at the first argument and silently
// ignores the rest, prints usage errors on standard output, and takes some
// arguments for commands. So the command line is understood here first, and
// only what is known to be well formed is passed on.
type invocation struct {
	args []string
	path []*cli.Command
	help bool
}

// parse reads a command line. The path is set as far as it was understood,
// also when there is an error.
func parse(app *cli.App, args []string) (invocation, error) {
	p := &parser{app: app, rest: args[min(1, len(args)):], help: len(args) < 2}
	err := p.run()
	inv := invocation{path: p.path, help: p.help}
	if err != nil {
		return inv, err
	}
	inv.args = append([]string{app.Name}, p.common...)
	for _, c := range p.path {
		inv.args = append(inv.args, c.Name)
	}
	inv.args = append(inv.args, p.flags...)
	if len(p.operands) > 0 {
		inv.args = append(append(inv.args, "--"), p.operands...)
	}
	return inv, nil
}

type parser struct {
	app  *cli.App
	rest []string // what is still to be read

	path     []*cli.Command
	common   []string
	flags    []string
	operands []string
	values   map[cli.Flag]string // of the flags that take one
	help     bool
}

func (p *parser) run() error {
	for len(p.rest) > 0 {
		a := p.rest[0]
		p.rest = p.rest[1:]
		var err error
		switch {
		case a == "--":
			p.operands = append(p.operands, p.rest...)
			p.rest = nil
		case strings.HasPrefix(a, "-") && a != "-":
			err = p.flag(a)
		default:
			err = p.word(a)
		}
		if err != nil {
			return err
		}
	}
	return p.finish()
}

// finish refuses a command line that names no command to run. Only an empty
// one asks for help without saying so.
func (p *parser) finish() error {
	if p.help || len(p.commands()) == 0 {
		return nil
	}
	if list := listOf(p.last()); list != nil && len(p.operands) == 0 {
		p.path = append(p.path, list)
		return nil
	}
	if len(p.operands) > 0 {
		return p.unknownCommand(p.operands[0])
	}
	var names []string
	for _, c := range p.commands() {
		names = append(names, c.Name)
	}
	return usagef("want a %s: %s", p.wanted(), strings.Join(names, ", "))
}

// commands are those that may come next.
func (p *parser) commands() []*cli.Command {
	if len(p.path) == 0 {
		return p.app.Commands
	}
	return p.last().Subcommands
}

// last is the command that was understood so far, nil before any.
func (p *parser) last() *cli.Command {
	if len(p.path) == 0 {
		return nil
	}
	return p.path[len(p.path)-1]
}

// listOf is the subcommand list of a group, which is run when none is named;
// nil without one.
func listOf(c *cli.Command) *cli.Command {
	if c != nil {
		for _, sub := range c.Subcommands {
			if sub.Name == "list" {
				return sub
			}
		}
	}
	return nil
}

// word takes a command name where one may stand, else an argument.
func (p *parser) word(a string) error {
	if len(p.commands()) == 0 {
		if p.help {
			return nil
		}
		p.operands = append(p.operands, a)
		return nil
	}
	if a == "help" {
		p.help = true
		return nil
	}
	for _, c := range p.commands() {
		if c.HasName(a) {
			p.path = append(p.path, c)
			return nil
		}
	}
	return p.unknownCommand(a)
}

func (p *parser) unknownCommand(name string) error {
	var names []string
	for _, c := range p.commands() {
		if !c.Hidden {
			names = append(names, c.Names()...)
		}
	}
	if slices.Contains(names, name) {
		return usagef("%s %q stands after --, where only arguments do", p.wanted(), name).hint("leave the -- before it out")
	}
	near := nearest(name, names)
	if near == "" && len(p.path) == 0 {
		near = p.nearestBelow(name)
	}
	return didYouMean(usagef("unknown %s %q", p.wanted(), name), near)
}

// nearestBelow is the command with a subcommand of about that name, in full;
// "" when there is none.
func (p *parser) nearestBelow(name string) string {
	full := map[string]string{}
	var names []string
	for _, c := range p.app.Commands {
		for _, sub := range c.Subcommands {
			for _, n := range sub.Names() {
				names = append(names, n)
				full[n] = "git dos " + c.Name + " " + sub.Name
			}
		}
	}
	return full[nearest(name, names)]
}

// wanted is what a command name is called at this point of the line.
func (p *parser) wanted() string {
	if len(p.path) > 0 {
		return "subcommand"
	}
	return "verb"
}

// flag takes a flag and its value.
func (p *parser) flag(a string) error {
	name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
	switch {
	case name == "h" || name == "help":
		p.help = true
		return nil
	case name == "version" && len(p.path) == 0:
		return p.word(name)
	}
	f, list := p.find(name)
	if f == nil {
		return p.unknownFlag(a)
	}
	if !takesValue(f) {
		if name == porcelainFlag && hasValue {
			a, hasValue = dashed(name), false
			if value != porcelainVersion {
				return usagef("%s %.60q is no version of it", a, value).hint("%s=%s is the one there is", a, porcelainVersion)
			}
		}
		*list = append(*list, a)
		if hasValue {
			return convertible(f, a, value)
		}
		return nil
	}
	if !hasValue {
		if len(p.rest) == 0 {
			return usagef("flag %s needs a value", a)
		}
		value, p.rest = p.rest[0], p.rest[1:]
		if next, _ := p.find(strings.TrimLeft(value, "-")); next != nil && strings.HasPrefix(value, "-") {
			return usagef("flag %s needs a value, but %s follows", a, value).
				hint("if %s is meant as the value, write %s=%s", value, a, value)
		}
	}
	if err := p.once(f, a, value); err != nil {
		return err
	}
	if err := convertible(f, a, value); err != nil {
		return err
	}
	*list = append(*list, "--"+name+"="+value)
	return nil
}

// convertible refuses a value that the flag cannot hold.
func convertible(f cli.Flag, a, value string) error {
	var err error
	what := ""
	switch f.(type) {
	case *cli.IntFlag:
		_, err = strconv.ParseInt(value, 0, strconv.IntSize)
		what = "no whole number"
	case *cli.DurationFlag:
		_, err = time.ParseDuration(value)
		what = "no length of time, such as 90s or 15m"
	case *cli.BoolFlag:
		_, err = strconv.ParseBool(value)
		what = "neither true nor false"
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		what = "too large a number"
	}
	name, _, _ := strings.Cut(a, "=")
	return usagef("%s %.60q is %s", name, value, what)
}

// once refuses the second value of a flag that takes one: urfave/cli would
// forget the first.
func (p *parser) once(f cli.Flag, a, value string) error {
	if s, ok := f.(cli.DocGenerationSliceFlag); ok && s.IsSliceFlag() {
		return nil
	}
	name, _, _ := strings.Cut(a, "=")
	if had, twice := p.values[f]; twice {
		return usagef("flag %s is given twice, as %q and as %q, and takes one value", name, had, value)
	}
	if p.values == nil {
		p.values = map[cli.Flag]string{}
	}
	p.values[f] = value
	return nil
}

// find looks a flag up among those of the command and the common ones, and
// says where on the reordered line it goes.
func (p *parser) find(name string) (cli.Flag, *[]string) {
	for _, c := range []*cli.Command{p.last(), listOf(p.last())} {
		if c == nil {
			continue
		}
		if f := named(c.Flags, name); f != nil {
			return f, &p.flags
		}
	}
	return named(p.app.Flags, name), &p.common
}

func (p *parser) unknownFlag(a string) error {
	flags := slices.Clone(p.app.Flags)
	if len(p.path) > 0 {
		flags = append(flags, p.last().Flags...)
	}
	if list := listOf(p.last()); list != nil {
		flags = append(flags, list.Flags...)
	}
	var names []string
	for _, f := range flags {
		for _, n := range f.Names() {
			names = append(names, dashed(n))
		}
	}
	name, _, _ := strings.Cut(a, "=")
	if strings.Trim(name, "-0123456789.") == "" {
		return usagef("unknown flag %q", name).hint("an argument that begins with a dash stands after --")
	}
	return didYouMean(usagef("unknown flag %q", name), nearest(dashed(strings.TrimLeft(name, "-")), names))
}

func named(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return !ok || d.TakesValue()
}

// dashed is how a flag is written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// pathName is the full name of a command, as in "lease acquire".
func pathName(path []*cli.Command) string {
	var names []string
	for _, c := range path {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

// wantsJSON finds --json on a command line that may be malformed elsewhere.
func wantsJSON(args []string) bool {
	for _, a := range args[min(1, len(args)):] {
		switch a {
		case "--":
			return false
		case "--json", "-json", "--json=true", "-json=true":
			return true
		}
	}
	return false
}
