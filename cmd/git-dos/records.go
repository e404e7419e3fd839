package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A record is what a script reads of one thing: fields of which the last one is
// its name, and the only one that may be of any text.
type record []string

const (
	porcelainFlag    = "porcelain"
	porcelainVersion = "v1" // the one form there is of records; another would be another version
)

// recordFlags have a verb print records for scripts, by answerRecords.
func recordFlags(names, fields string) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "null", Aliases: []string{"z"}, Usage: "for scripts: print " + names + " alone, as they are, each ended by a NUL; with --porcelain all fields, the record ended so"},
		&cli.BoolFlag{Name: porcelainFlag, Usage: "for scripts: print a line for each in a form that stays, --porcelain=v1: " + fields + ", with a tab between two"},
	}
}

// oneFormat refuses a form for scripts together with --json.
func oneFormat(c *cli.Context) error {
	if !c.Bool("json") {
		return nil
	}
	for flag, written := range map[string]string{"null": "-z", porcelainFlag: "--porcelain"} {
		if c.Bool(flag) {
			return usagef("%s and --json are two formats", written).hint("leave one of them out")
		}
	}
	return nil
}

// wantsRecords reports whether answerRecords is to answer.
func wantsRecords(c *cli.Context) bool { return c.Bool("null") || c.Bool(porcelainFlag) }

// answerRecords is answer with these records in place of the text. The exit status
// is the verdict's either way, and a verdict nobody decided has no record.
func answerRecords(c *cli.Context, v verdict.Verdict, records []record) error {
	code, err := decided(v)
	if err != nil {
		return err
	}
	if !c.Bool("quiet") {
		text := recordText(records, c.Bool(porcelainFlag), c.Bool("null"))
		if err := writeOut(c.App.Writer, []byte(text)); err != nil {
			return err
		}
	}
	return ended(code)
}

// recordText are the records with all fields or by name alone, a name that comes
// again left out. Before a NUL the name is as it is.
func recordText(records []record, fields, null bool) string {
	end := "\n"
	if null {
		end = "\x00"
	}
	var lines []string
	for _, r := range records {
		line, last := "", len(r)-1
		for _, f := range r[:last] {
			if fields {
				line += quoteField(f) + "\t"
			}
		}
		if name := r[last]; null {
			line += name
		} else {
			line += quoteField(name)
		}
		lines = append(lines, line+end)
	}
	if !fields {
		lines = slices.Compact(lines)
	}
	return strings.Join(lines, "")
}

// quoteField is a field as it stands on a line: as it is, "-" where there is
// nothing, and in quotes, as git writes such a path, where it could be taken for
// something else or holds a letter that does not print.
func quoteField(s string) string {
	plain := s != "-" && !strings.ContainsAny(s, `"\`) && utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
	switch {
	case s == "":
		return "-"
	case plain:
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + s[i:i+1])
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsPrint(r) && (r != utf8.RuneError || size > 1):
			b.WriteString(s[i : i+size])
		default:
			for _, c := range []byte(s[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}
