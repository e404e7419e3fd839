package hookset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
)

// An Order says when the hook that was there before is run.
type Order string

// The orders. First is the one without being asked.
const (
	First Order = "before"
	Last  Order = "after"
)

// A Shim is what one hook file says. Equal shims have equal files.
type Shim struct {
	Format  int    `json:"format"`
	Hook    string `json:"hook"`
	Program string `json:"program,omitempty"` // tried first; where people work git-dos on PATH is next
	Order   Order  `json:"order,omitempty"`   // empty when nothing is chained
	Chained string `json:"chained,omitempty"` // a name in the same folder, or a path from where git runs hooks
}

// marker begins the line that says whose file it is, and all that is in it.
const marker = "# git-dos hook "

// forward reports whether the shim only passes on to another hook.
func (s Shim) forward() bool { return s.Program == "" }

// Render is the text of the file.
func (s Shim) Render() []byte {
	var b bytes.Buffer
	b.WriteString("#!/bin/sh\n" + marker)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings and a number
	b.WriteString("# Made by git dos hooks install; git dos hooks uninstall takes it out again.\n")
	if s.forward() {
		fmt.Fprintf(&b, "hook=%s\n[ -x \"$hook\" ] || exit 0\nexec \"$hook\" \"$@\"\n", quote(s.Chained))
		return b.Bytes()
	}
	if OfServer(s.Hook) {
		b.WriteString(s.serverProgram())
	} else {
		b.WriteString(s.clientProgram())
	}
	if s.Chained == "" {
		fmt.Fprintf(&b, "exec \"$dos\" hook %s -- \"$@\"\n", s.Hook)
	} else {
		fmt.Fprintf(&b, "exec \"$dos\" hooks chain --program \"$dos\" --%s %s -- %s \"$0\" \"$@\"\n", s.Order, quote(s.Chained), s.Hook)
	}
	return b.Bytes()
}

// clientProgram finds what the file calls, where people work.
func (s Shim) clientProgram() string {
	return fmt.Sprintf(`dos=%s
[ -x "$dos" ] || dos=$(command -v git-dos) || {
	echo 'git-dos: %s: refused, because git-dos is neither at %s nor on PATH: install it again, or remove '"$0"' (--no-verify goes round it, and git dos hooks audit will tell)' >&2
	exit 1
}
`, quote(s.Program), s.Hook, inQuotes(s.Program))
}

// serverProgram finds what the file calls, where they push to.
func (s Shim) serverProgram() string {
	comes := "refused"
	if s.Hook == "post-receive" {
		comes = "no receipt is written"
	}
	return fmt.Sprintf(`dos=%s
[ -x "$dos" ] || {
	echo 'git-dos: %s: %s, because git-dos is not at %s: whoever keeps the repository installs it again, or removes '"$0" >&2
	exit 1
}
`, quote(s.Program), s.Hook, comes, inQuotes(s.Program))
}

// quote makes one word of a shell out of text without line ends.
func quote(text string) string { return "'" + inQuotes(text) + "'" }

func inQuotes(text string) string { return strings.ReplaceAll(text, "'", `'\''`) }

// A claim is how far a file can be taken for one of ours.
type claim string

const (
	foreign claim = "foreign" // without the marker
	ours    claim = "ours"    // exactly what is written for its marker
	crlf    claim = "crlf"    // the same with other line ends, so that no shell runs it
	edited  claim = "edited"  // marked, and changed since
	newer   claim = "newer"   // of a form that this program does not know
)

// parseShim reads a hook file. Only a file that is ours to the byte is said to be:
// a marker alone proves nothing.
func parseShim(data []byte) (Shim, claim) {
	_, rest, found := bytes.Cut(data, []byte("\n"+marker))
	if !found {
		return Shim{}, foreign
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	var s Shim
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(&s); err != nil {
		return Shim{}, edited
	}
	switch {
	case s.Format > Format:
		return s, newer
	case s.check() != nil:
		return Shim{}, edited
	case bytes.Equal(data, s.Render()):
		return s, ours
	case bytes.Equal(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), s.Render()):
		return s, crlf
	}
	return s, edited
}

var hookName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
})

// check refuses what cannot be written into a hook file, and what another name
// or another folder would be reached by.
func (s Shim) check() error {
	for _, text := range []string{s.Program, s.Chained} {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
			return fmt.Errorf("%q cannot be written into a hook: it has a control character or is no UTF-8", text)
		}
	}
	switch {
	case s.Format != Format || !hookName().MatchString(s.Hook):
		return fmt.Errorf("no hook of format %d: %q", Format, s.Hook)
	case s.forward():
		if s.Order != "" || !strings.Contains(s.Chained, "/") {
			return fmt.Errorf("%s passes nothing on", s.Hook)
		}
	case (s.Order == "") != (s.Chained == ""):
		return fmt.Errorf("%s chains without an order", s.Hook)
	case s.Order != "" && s.Order != First && s.Order != Last:
		return fmt.Errorf("%s has the order %q", s.Hook, s.Order)
	}
	if s.Chained != "" && !strings.Contains(s.Chained, "/") && s.Chained != s.Hook+savedSuffix {
		return fmt.Errorf("%s chains %q", s.Hook, s.Chained)
	}
	if s.Program != "" && !path.IsAbs(s.Program) && !drive().MatchString(s.Program) {
		return fmt.Errorf("the program is to be named by its full path, not %q", s.Program)
	}
	return nil
}

// drive begins a full path on Windows.
var drive = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z]:/`)
})
