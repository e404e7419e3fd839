package agentset

import (
	"embed"
	"fmt"
	"path"
)

//go:embed text/*.md
var texts embed.FS

// SkillNames are the skills, in the order in which they are listed.
var SkillNames = []string{
	"dos-dispatch", "dos-dispatch-loop", "dos-supervise-loop", "super-loop", "wave-harvest", "dos-next-up", "dos-replan", "dos-plan-price",
}

// SkillFolders are where runtimes look for the skills of a project: Claude Code
// in the first, and in the second those that follow the open format.
var SkillFolders = []string{".claude/skills", ".agents/skills"}

// WorkerPrompt is the file with what a worker is told; worker.prompt of dos.toml
// may name it. It has less than 4000 characters.
const WorkerPrompt = ".agents/dos-worker.md"

// A Text is a file for agents, as it is written.
type Text struct{ Path, Body string }

// Texts are the skills in these folders, and the worker's prompt.
func Texts(folders []string) (out []Text) {
	for _, folder := range folders {
		for _, name := range SkillNames {
			out = append(out, Text{path.Join(folder, name, "SKILL.md"), signed(Skill(name))})
		}
	}
	return append(out, Text{WorkerPrompt, signed(text("worker") + "\n" + text("rules"))})
}

// Skill is the text of one skill. The same rules stand at the end of each.
func Skill(name string) string { return text(name) + "\n" + text("rules") }

// text is one of the files that are built in.
func text(name string) string {
	data, err := texts.ReadFile("text/" + name + ".md")
	if err != nil {
		panic(fmt.Sprintf("no text %q is built in", name)) // a test names them all
	}
	return string(data)
}
