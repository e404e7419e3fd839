package hookset

import (
	"fmt"
	"strings"
)

func (l Look) String() string {
	var b strings.Builder
	b.WriteString(l.Outcome + " from " + firstOf(l.WorkTree, l.Place.Dir) + "\n")
	b.WriteString("git runs hooks of " + l.Place.String() + "\n")
	for _, h := range l.Hooks {
		b.WriteString("  " + h.String() + "\n")
	}
	if l.Fix != "" {
		b.WriteString("fix: " + l.Fix + "\n")
	}
	if l.Note != "" {
		b.WriteString("note: " + l.Note)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p Place) String() string {
	if p.Value == "" {
		return p.Dir
	}
	return fmt.Sprintf("%s: core.hooksPath, %s configuration", p.Dir, p.Scope)
}

// reasons says what each of them means, for people.
var reasons = map[Reason]string{
	Missing:       "there is no such file",
	NotOurs:       "another hook, and git-dos is not called",
	Replaced:      "another tool has put its hook in the place of git-dos's",
	NotExecutable: "git passes it over: it may not be executed",
	LineEnds:      "its lines end in CRLF, and no shell runs it",
	Edited:        "marked as git-dos's, and not what install writes",
	NewerFormat:   "written by a newer git-dos",
	NoProgram:     "git-dos is neither where it was nor on PATH, and everything is refused",
}

// Why says what keeps git from reaching git-dos, empty for an armed hook.
func (h Hook) Why() string {
	if h.Armed {
		return ""
	}
	text := string(h.Reason) + ": " + reasons[h.Reason]
	if h.Reason == NoProgram && OfServer(h.Name) {
		text = string(h.Reason) + ": git-dos is not where it was, and every push is refused"
	}
	if h.Tool != "" {
		text += " (" + h.Tool + ")"
	}
	return text
}

func (h Hook) String() string {
	text := fmt.Sprintf("%s: ", h.Name)
	if !h.Armed {
		return text + h.Why() + ": " + h.File
	}
	text += "armed: " + h.File
	if h.Via != "" {
		text += ", by way of " + h.Tool + " and " + h.Via
	}
	text += ", calls " + h.Program
	if h.Chained != "" {
		text += fmt.Sprintf(", %s runs %s it", h.Chained, h.Order)
	}
	if h.Note != "" {
		text += "; " + h.Note
	}
	return text
}

func (i Installation) String() string {
	if i.Outcome == Refused {
		return fmt.Sprintf("%s %s: %s; nothing was installed\nfix: %s", i.Outcome, i.Reason, i.Detail, i.Fix)
	}
	return i.Outcome + " in " + i.Place.String() + changes(i.Hooks)
}

func (r Removal) String() string {
	switch r.Outcome {
	case NothingHere:
		return r.Outcome + ": no hook of git-dos is installed here"
	case Left:
		return r.Outcome + ": not all could be taken out" + changes(r.Hooks)
	}
	return r.Outcome + changes(r.Hooks)
}

func changes(all []Change) string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "\n  %s: %s: %s", c.Name, strings.ReplaceAll(c.Did, "_", " "), c.File)
		if c.Chained != "" && c.Order != "" {
			fmt.Fprintf(&b, ", %s runs %s it", c.Chained, c.Order)
		}
		if c.Why != "" {
			b.WriteString(": " + c.Why)
		}
	}
	return b.String()
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
