package guard

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// An assign sets a variable. The name is empty where it is not known.
type assign struct {
	name  string
	value word
}

// A command is one program with its arguments, as far as the line shows.
type command struct {
	assigns []assign
	words   []word
	stdin   *word  // a script that is written out in the line, if one is
	piped   []word // the words of the command whose output it reads
}

// script judges text that a shell reads. Shells differ, so it is read as bash
// does and as a plain shell does: the line is as bad as the worse reading.
func (f *finder) script(text string) {
	if f.scripts[text] {
		return
	}
	if why := unreadable(text); why != "" {
		f.unknown([]word{literal(text)}, nil, why, "write the command plainly, in one short line")
		return
	}
	if f.depth++; f.depth > maxDepth {
		f.unknown([]word{literal(text)}, nil, fmt.Sprintf("scripts stand in scripts, more than %d deep", maxDepth), "write the command plainly")
		return
	}
	defer func() { f.depth-- }()
	if f.scripts == nil {
		f.scripts = map[string]bool{}
	}
	f.scripts[text] = true
	if err := f.read(text, syntax.LangBash); err != nil {
		f.unknown([]word{literal(text)}, nil, "the line is no bash: "+err.Error(), "write the command plainly")
	}
	// A plain shell runs what stands before a fault of syntax, and to it &> is
	// an & that ends a command, and a >.
	counted := f.commands
	f.read(strings.ReplaceAll(text, "&>", "& >"), syntax.LangPOSIX)
	f.commands = counted
}

// unreadable says why text is not read at all; empty when it is.
func unreadable(text string) string {
	if len(text) > MaxCommand {
		return fmt.Sprintf("a script of %d bytes, and at most %d are read", len(text), MaxCommand)
	}
	if !utf8.ValidString(text) {
		return "the line is not UTF-8"
	}
	depth, most := 0, 0
	for _, r := range text {
		switch {
		case r < ' ' && r != '\n' && r != '\t', r == 0x7f:
			return fmt.Sprintf("the line holds the control character 0x%02x, which shells read in different ways", r)
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth = max(depth-1, 0)
		}
		most = max(most, depth)
	}
	if most > maxBrackets {
		return fmt.Sprintf("brackets stand in brackets, more than %d deep", maxBrackets)
	}
	return ""
}

// read judges all statements up to a fault of syntax, which it returns.
func (f *finder) read(text string, lang syntax.LangVariant) error {
	r := reader{f: f, src: text, piped: map[*syntax.Stmt]*syntax.Stmt{}}
	for stmt, err := range syntax.NewParser(syntax.Variant(lang)).StmtsSeq(strings.NewReader(text)) {
		if err != nil {
			return err
		}
		syntax.Walk(stmt, r.visit)
	}
	return nil
}

// A reader walks one script.
type reader struct {
	f     *finder
	src   string
	piped map[*syntax.Stmt]*syntax.Stmt // who reads whose output
}

func (r reader) visit(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			r.piped[n.Y] = n.X
		}
	case *syntax.Stmt:
		r.stmt(n)
	case *syntax.DeclClause:
		for _, a := range n.Args {
			if !a.Naked || a.Name == nil {
				r.f.assigned(r.assign(a))
			}
		}
	case *syntax.ExtGlob:
		r.f.unknown([]word{literal(r.src)}, []word{literal(n.Pattern.Value)}, "a pattern with brackets may run a command in some shells", "write the names out")
	}
	return true
}

// stmt judges a simple command, and where any command writes to.
func (r reader) stmt(s *syntax.Stmt) {
	var c command
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		c.words = r.words(call.Args)
		for _, a := range call.Assigns {
			c.assigns = append(c.assigns, r.assign(a))
		}
		if from := r.piped[s]; from != nil {
			if left, ok := from.Cmd.(*syntax.CallExpr); ok && len(from.Redirs) == 0 {
				c.piped = r.words(left.Args)
			}
		}
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect, &c)
	}
	if len(c.words)+len(c.assigns) > 0 {
		r.f.command(c)
	}
}

func (r reader) words(in []*syntax.Word) []word {
	out := make([]word, 0, len(in))
	for _, w := range in {
		out = append(out, spell(r.src, w))
	}
	return out
}

func (r reader) assign(a *syntax.Assign) assign {
	out := assign{value: literal("")}
	if a.Name != nil {
		out.name = a.Name.Value
	}
	if a.Value != nil {
		out.value = spell(r.src, a.Value)
	}
	if a.Array != nil || a.Append || a.Index != nil {
		out.value.exact = false
	}
	return out
}

// redirect takes what a command reads, and judges what it writes to.
func (r reader) redirect(d *syntax.Redirect, c *command) {
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		body := word{exact: true}
		if d.Hdoc != nil {
			body = r.hereDocument(d)
		}
		c.stdin = &body
	case syntax.WordHdoc:
		w := spell(r.src, d.Word)
		w.text += "\n"
		c.stdin = &w
	case syntax.RdrIn, syntax.DplIn, syntax.DplOut:
	default:
		w := spell(r.src, d.Word)
		r.f.written([]word{{src: d.Op.String()}, w}, w)
	}
}

// hereDocument is the body of one: as it stands where its end is quoted, else
// with the backslashes of a quoted text.
func (r reader) hereDocument(d *syntax.Redirect) word {
	raw := false
	for _, part := range d.Word.Parts {
		lit, bare := part.(*syntax.Lit)
		raw = raw || !bare || strings.Contains(lit.Value, `\`)
	}
	var s speller
	for _, part := range d.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case ok && raw:
			s.add(lit.Value)
		case ok:
			s.add(unescape(lit.Value, "$`\\"))
		default:
			s.blank(false)
		}
	}
	return word{text: s.text.String(), exact: !s.open, parts: s.parts.String(), src: s.parts.String()}
}
