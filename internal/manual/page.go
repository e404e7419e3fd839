// Package manual makes manual pages in roff and puts them where man finds
// them.
//
// A page is made from plain data and has the same bytes every time: no clock,
// no host and no locale is in it. Whatever text comes in is escaped, so that
// none of it can be a request. A file that was not made here is neither
// overwritten nor removed.
package manual

import (
	"strings"
	"time"
)

// A Page is one manual page of section 1.
type Page struct {
	Name     string // git-dos-lease
	Summary  string
	Date     string // YYYY-MM-DD
	Source   string // the version of the program
	Synopsis []string

	Description string // paragraphs, with an empty line between two
	Options     []List
	Commands    []Entry // those with a page of their own
	Parts       []Part  // the subcommands
	Statuses    []List
	Environment []Entry
	Beside      string // a sentence after the environment
	Examples    []string
	SeeAlso     []string // names of pages, such as git(1)
}

// A Part is a subcommand.
type Part struct {
	Title       string
	Synopsis    string
	Description string
	Options     []Entry
}

// A List is a list under a title of its own; without one it follows the
// section's.
type List struct {
	Title   string
	Entries []Entry
}

// An Entry is a word, what stands beside it, and what it means.
type Entry struct{ Word, Note, Text string }

// File is the name of the page's file.
func (p Page) File() string { return p.Name + ".1" }

// Roff is the page's source. It begins with a line by which a page made here
// is known.
func (p Page) Roff() []byte {
	var r roff
	r.line(marker)
	r.line(`.TH "` + quoted(strings.ToUpper(p.Name)) + `" "1" "` + day(p.Date) + `" "` + quoted(p.Source) + `" "git\-dos manual"`)
	r.line(".nh") // a word with a hyphen in it may be a command
	r.line(".ad l")
	r.section("SH", "NAME")
	r.line(escape(p.Name) + ` \- ` + escape(p.Summary))
	r.section("SH", "SYNOPSIS")
	r.verbatim(p.Synopsis)
	r.section("SH", "DESCRIPTION")
	if p.Description == "" {
		p.Description = sentence(p.Summary)
	}
	r.text(p.Description, true)
	if len(p.Commands) > 0 {
		r.lists("VERBS", []List{{Entries: p.Commands}})
	}
	r.parts(p.Parts)
	r.lists("OPTIONS", p.Options)
	r.lists("EXIT STATUS", p.Statuses)
	r.environment(p)
	if len(p.Examples) > 0 {
		r.section("SH", "EXAMPLES")
		r.verbatim(p.Examples)
	}
	r.section("SH", "SEE ALSO")
	var see []string
	for _, s := range p.SeeAlso {
		see = append(see, escape(s))
	}
	r.line(strings.Join(see, ",\n"))
	return []byte(r.String())
}

// day is a date as roff takes it; what is none is the epoch's.
func day(s string) string {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "1970-01-01"
	}
	return s
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, "?") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func (r *roff) parts(parts []Part) {
	if len(parts) == 0 {
		return
	}
	r.section("SH", "SUBCOMMANDS")
	for _, p := range parts {
		r.section("SS", p.Title)
		r.verbatim([]string{p.Synopsis})
		r.text(p.Description, false)
		r.entries(p.Options)
	}
}

func (r *roff) lists(title string, lists []List) {
	if len(lists) == 0 {
		return
	}
	r.section("SH", title)
	for _, l := range lists {
		if l.Title != "" {
			r.section("SS", l.Title)
		}
		r.entries(l.Entries)
	}
}

func (r *roff) environment(p Page) {
	r.section("SH", "ENVIRONMENT")
	r.entries(p.Environment)
	if p.Beside != "" {
		r.text(p.Beside, len(p.Environment) == 0)
	}
}
