package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/ship"
)

// CommitMsgGate finds messages that do not say what they seem to: one without a
// subject, a subject that runs into the text below it, one that begins with the
// name of a declared plan and misses the form of a stamp by a character, a
// Dos-Ship that names no PLAN/PHASE, or a trailer of git-dos that stands where
// git reads no trailer, so that it ships nothing. A commit that ships nothing
// need not name a unit. What git words itself is exempt: merges, reverts, and
// what rebase --autosquash folds away.
func CommitMsgGate(plans []string) Gate {
	return Gate{CommitMessage, func(ctx context.Context, _ Push, h History) (found []Finding, err error) {
		for c, err := range h.Commits(ctx) {
			if err != nil {
				return nil, err
			}
			if exempt(c) {
				continue
			}
			for _, f := range append(judgeMessage(c), nearMiss(c.Subject, plans)...) {
				f.Commit = c.ID
				found = append(found, f)
			}
		}
		return found, nil
	}}
}

func exempt(c Commit) bool {
	if c.Merge() {
		return true
	}
	for _, start := range []string{"Merge ", "Revert \"", "Reapply \"", "fixup! ", "squash! ", "amend! "} {
		if strings.HasPrefix(c.Subject, start) {
			return true
		}
	}
	return false
}

func judgeMessage(c Commit) (found []Finding) {
	lines := strings.Split(strings.TrimLeft(c.Message, "\n"), "\n")
	if strings.TrimSpace(c.Subject) == "" {
		return []Finding{{Reason: "the message has no subject", Fix: "say in one line what the commit does"}}
	}
	if len(lines) > 1 && strings.TrimSpace(lines[1]) != "" {
		found = append(found, Finding{Reason: "the subject runs on into the second line", Fix: "leave the second line of the message blank"})
	}
	counted := map[string]int{}
	for _, t := range c.Trailers {
		key := strings.ToLower(t.Key)
		counted[key]++
		if _, _, ok := ship.SplitUnit(t.Value); key == "dos-ship" && !ok {
			found = append(found, Finding{Reason: fmt.Sprintf("Dos-Ship: %q names no unit", clip(t.Value)), Fix: "write it as Dos-Ship: PLAN/PHASE"})
		}
	}
	for _, line := range slices.Backward(lines) { // the trailers are the last of them
		key, _, ok := strings.Cut(line, ":")
		if key = strings.ToLower(key); !ok || key != "dos-ship" && key != "dos-lease" {
			continue
		}
		if counted[key]--; counted[key] < 0 {
			found = append(found, Finding{
				Reason: fmt.Sprintf("%q is no trailer where it stands", clip(line)),
				Fix:    "put it into the last paragraph of the message, among trailers alone",
			})
		}
	}
	return found
}

// nearMiss finds a subject that begins PLAN:PHASE or PLAN/PHASE, which names no
// unit in a subject.
func nearMiss(subject string, plans []string) []Finding {
	for _, plan := range plans {
		if len(subject) <= len(plan)+1 || !strings.EqualFold(subject[:len(plan)], plan) {
			continue
		}
		if sign, next := subject[len(plan)], subject[len(plan)+1]; (sign == ':' || sign == '/') && next != ' ' && next != sign {
			return []Finding{{Reason: fmt.Sprintf("%q names no unit", clip(subject)), Fix: "begin it with " + plan + ": PHASE, a blank between the two"}}
		}
	}
	return nil
}
