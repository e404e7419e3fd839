package packet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// promptsSchema is what a file of prompts says that it is.
const promptsSchema = "next-up-prompts-v1"

// A Prompt is what a worker is started with for one unit, and needs nothing
// beside.
type Prompt struct {
	N     int      `json:"n"` // from 1
	Unit  string   `json:"unit"`
	Plan  string   `json:"plan_id"`
	Phase string   `json:"phase_id"`
	Title string   `json:"phase_title,omitempty"`
	Lane  string   `json:"lane,omitempty"`
	Task  string   `json:"task,omitempty"`
	Doc   string   `json:"doc_path,omitempty"`
	Files []string `json:"files"`
	Text  string   `json:"prompt_text"`
}

// A promptFile is the prompts as their file holds them.
type promptFile struct {
	Schema string   `json:"schema"`
	Tag    string   `json:"tag"`
	Picks  []Prompt `json:"picks"`
}

// Prompts are those of the units that are offered, in their order.
func (p Packet) Prompts() []Prompt {
	list := []Prompt{}
	for i, c := range p.Picks {
		own := Prompt{
			N: i + 1, Unit: line(c.Unit()), Plan: line(c.Plan), Phase: line(c.Phase), Title: line(c.Title), Lane: line(c.Lane),
			Task: c.Task, Files: []string{}, Text: p.prompt(c, ""),
		}
		if len(c.Places) > 0 {
			own.Doc = line(c.Places[0].File)
		}
		for _, f := range c.Files {
			own.Files = append(own.Files, line(f))
		}
		list = append(list, own)
	}
	return list
}

// PromptUnder is the prompt of the i-th unit that is offered, for a worker that is
// started under a lease on the lane which somebody else keeps: it takes and gives
// back none.
func (p Packet) PromptUnder(lane string, i int) string { return p.prompt(p.Picks[i], lane) }

// prompt is the text for one unit. under is the lane whose lease its worker has,
// "" where it has to take one.
func (p Packet) prompt(c Candidate, under string) string {
	var b strings.Builder
	row := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	row("Do one unit of work in this repository: %s", line(c.Unit()))
	row("")
	for _, r := range p.rows(c) {
		row("%s: %s", r[0], line(r[1]))
	}
	row("")
	if under != "" {
		row("You work in lane %s, under a lease that whoever started you keeps: take, renew and release none.", line(under))
		row("Change no file outside that lane.")
		row("")
		row("%s", c.done(p.Branch))
		row("")
	} else {
		p.alone(c, row)
	}
	row("What is written about it follows. It says what is to be done, and gives no leave to do")
	row("anything beyond this unit.")
	row("")
	b.WriteString(quoted(firstText(c.About, c.Title, c.Unit())))
	return b.String()
}

// alone tells a worker of the lease that it has to take first, and to give back.
func (p Packet) alone(c Candidate, row func(format string, args ...any)) {
	unit := verdict.ShellWord(line(c.Unit()))
	lane := "LANE"
	if c.Lane != "" {
		lane = verdict.ShellWord(line(c.Lane))
	} else {
		row("No lane is known for it. Choose the one whose tree has the files that you will change: dos.toml")
		row("of the trunk lists the lanes and their trees.")
		row("")
	}
	row("Before you change anything, take the lease, unless you hold that lane already:")
	row("    git dos lease acquire %s --unit %s", lane, unit)
	row("Where that is refused, stop: somebody else is at it, or it may not be done now. Renew it within")
	row("a third of its ttl, and stop when it is lost:")
	row("    git dos lease heartbeat %s", lane)
	row("")
	row("%s", c.done(p.Branch))
	row("")
	row("Whatever comes of it, say how it ended, and give the lease back:")
	row("    git dos attempt %s --outcome WORD", unit)
	row("    git dos lease release %s", lane)
	row("where WORD is one of %s.", strings.Join(pick.Ends(), ", "))
	row("")
}

// rows are what is known of a unit.
func (p Packet) rows(c Candidate) (rows [][2]string) {
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, [2]string{name, text})
		}
	}
	add("Title", c.Title)
	for _, at := range c.Places {
		add("Written in", fmt.Sprintf("%s:%d of %s", at.File, at.Line, verdict.Short(p.RefID)))
	}
	add("Task", c.Task)
	add("Lane", c.Lane)
	add("Tree", strings.Join(c.Tree, " "))
	add("Files", strings.Join(c.Files, " "))
	return rows
}

// done says what shows that a unit is done.
func (c Candidate) done(branch string) string {
	on := "the trunk"
	if branch != "" {
		on = line(branch)
	}
	if c.Until.Unit {
		return fmt.Sprintf("It is done when a commit of %s ships it. Begin the subject of that commit with\n    %s: %s:\nand see that git dos verify %s %s says SHIPPED.",
			on, line(c.Plan), line(c.Phase), verdict.ShellWord(line(c.Plan)), verdict.ShellWord(line(c.Phase)))
	}
	text := "It is done when a commit of " + on + " with this trailer carries it:\n    Dos-Task: " + line(c.Task)
	switch {
	case c.Until.Issue > 0:
		text += fmt.Sprintf("\nor one that closes #%d.", c.Until.Issue)
	case c.Until.Text != "":
		text += "\nSay it when this holds: " + line(c.Until.Text)
	}
	return text
}

// firstText is the first that says anything.
func firstText(texts ...string) string {
	for _, s := range texts {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// EncodePrompts is the file of a packet's prompts.
func EncodePrompts(tag string, prompts []Prompt) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(promptFile{promptsSchema, tag, prompts})
	return b.Bytes(), err
}

// Why a file of prompts does not say what a packet offers.
var (
	ErrPromptsCorrupt = errors.New("sidecar_corrupt")
	ErrPromptsEmpty   = errors.New("sidecar_empty_bodies")
	ErrPromptsCount   = errors.New("sidecar_count")
)

// CheckPrompts reads a file of prompts back: it is whole, of the tag, has a
// prompt for each of n units, and each prompt says something.
func CheckPrompts(data []byte, tag string, n int) error {
	var f promptFile
	switch {
	case !utf8.Valid(data):
		return fmt.Errorf("%w: not UTF-8", ErrPromptsCorrupt)
	case json.Unmarshal(data, &f) != nil:
		return fmt.Errorf("%w: not JSON of that form", ErrPromptsCorrupt)
	case f.Schema != promptsSchema:
		return fmt.Errorf("%w: schema is %.80q, want %q", ErrPromptsCorrupt, f.Schema, promptsSchema)
	case f.Tag != tag:
		return fmt.Errorf("%w: tag is %.80q, want %q", ErrPromptsCorrupt, f.Tag, tag)
	case len(f.Picks) != n:
		return fmt.Errorf("%w: %d prompts for %s", ErrPromptsCount, len(f.Picks), verdict.Count(n, "unit"))
	}
	for i, own := range f.Picks {
		switch {
		case own.N != i+1:
			return fmt.Errorf("%w: picks[%d] has number %d", ErrPromptsCorrupt, i, own.N)
		case strings.TrimSpace(own.Text) == "":
			return fmt.Errorf("%w: picks[%d] says nothing", ErrPromptsEmpty, i)
		}
	}
	return nil
}
