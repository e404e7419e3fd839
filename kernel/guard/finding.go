package guard

import (
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A finder gathers what is wrong with one line.
type finder struct {
	findings []Finding
	commands int             // judged so far
	depth    int             // scripts in scripts
	wrapped  int             // commands that start commands
	scripts  map[string]bool // those judged so far, since a script has two readings
	rules    map[string]judgement
}

// deny records what is forbidden. The command is told in the line that people
// read, and offending are the words it fell over.
func (f *finder) deny(cmd, offending []word, r rule) {
	f.add(Finding{Outcome: Deny, Token: r.tokenOr(PolicyBlock), Reason: r.why, Fix: r.fix}, cmd, offending)
}

// unknown records what cannot be read.
func (f *finder) unknown(cmd, offending []word, why, fix string) {
	f.add(Finding{Outcome: Unknown, Token: CannotJudge, Reason: why, Fix: fix}, cmd, offending)
}

func (f *finder) add(x Finding, cmd, offending []word) {
	x.Command = clip(strings.Join(sources(cmd), " "))
	x.Words = sources(offending)
	if len(offending) == 0 {
		x.Words = sources(cmd)[:min(len(cmd), 2)]
	}
	for i := range x.Words {
		x.Words[i] = clip(x.Words[i])
	}
	for _, had := range f.findings {
		if had.Outcome == x.Outcome && had.Reason == x.Reason && had.Command == x.Command && strings.Join(had.Words, "\x00") == strings.Join(x.Words, "\x00") {
			return
		}
	}
	f.findings = append(f.findings, x)
}

// clip keeps a finding readable where a line is long.
func clip(s string) string { return strings.ToValidUTF8(verdict.Clip(s), "?") }

// worst is the outcome of what was found from number since on.
func (f *finder) worst(since int) Outcome {
	out := Allow
	for _, x := range f.findings[since:] {
		if x.Outcome == Deny {
			return Deny
		}
		out = Unknown
	}
	return out
}

// verdict orders the findings: what is forbidden first.
func (f *finder) verdict() Verdict {
	v := Verdict{Outcome: f.worst(0), Commands: f.commands, Findings: []Finding{}}
	for _, want := range []Outcome{Deny, Unknown} {
		for _, x := range f.findings {
			if x.Outcome == want && len(v.Findings) < maxFindings {
				v.Findings = append(v.Findings, x)
			}
		}
	}
	if v.Outcome == Allow {
		v.Reason = "no use of git in it that is known to do harm; programs other than git are not judged"
		return v
	}
	first := v.Findings[0]
	v.Token, v.Reason, v.Words, v.Fix = first.Token, first.Reason, first.Words, first.Fix
	return v
}

// A rule is one thing that is forbidden, and what to do instead.
type rule struct {
	token Token
	why   string
	fix   string
}

func (r rule) tokenOr(t Token) Token {
	if r.token != "" {
		return r.token
	}
	return t
}
