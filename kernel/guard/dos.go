package guard

import (
	"slices"
	"strings"
)

// What git dos does for a person alone.
var (
	ruleOperator = rule{"", "it takes from others what they hold, or speaks for an operator: that is for a person", "take another lane: git dos arbitrate names one that is free; or ask a person"}
	ruleOverride = rule{"", "an override of a gate is for a person to give", "repair what the gate names, or ask"}
)

var (
	// dosGlobals are the flags of every verb that take the next word for a value.
	dosGlobals = []string{"C", "workspace", "now", "now-ms", "color"}

	// dosValued are more that do, of the verbs in dosOperated.
	dosValued = []string{
		"lane", "nonce", "run-id", "limit", "n", "unit", "seat", "proc", "leases", "owner", "ttl", "wait", "kind", "tree", "reason", "wave", "plan-id",
		"view", "top", "body", "body-file", "priority", "steps", "label", "dep", "closes", "done", "duplicate-of", "from", "total", "scope", "host-cap",
		"max-workers", "work-kind", "handle", "until", "since", "for", "cadence", "timeout", "prompt",
	}

	// dosOperated are verbs that an operator can tell to do more.
	dosOperated = []string{"lease", "queue", "account", "reclaim", "super", "wave"}

	// dosForced are verbs whose --force takes nothing from anybody.
	dosForced = []string{"sync", "replan", "arbitrate"}
)

// dos judges git dos itself. Its verbs have judgements of their own; what they
// start is judged here, and so is what they do for a person alone.
func (c *call) dos() {
	at := c.dosVerb()
	if at < 0 || c.args[at].is("guard") {
		return
	}
	operated := slices.ContainsFunc(dosOperated, func(verb string) bool { return c.args[at].is(verb) })
	for i, w := range c.args {
		name, _, _ := flagOf(w)
		switch {
		case w.is("--"):
			if rest := c.args[i+1:]; len(rest) > 0 && (!rest[0].exact || c.known(rest[0], program(rest[0]))) {
				c.inner(command{words: rest})
			}
			return
		case w.is("hooks", "hook-agent") && slices.ContainsFunc(c.args[i+1:], func(w word) bool { return w.is("uninstall") }):
			c.blocked(ruleHooks, c.args[i:]...)
		case name == "operator", name == "force" && !slices.ContainsFunc(dosForced, func(verb string) bool { return c.args[at].is(verb) }):
			c.blocked(ruleOperator, c.args[at], w)
		case operated && i > at && c.dosBlank(i):
			c.unsure("what stands where --force may stand is not known before it runs", "write it out, or put it in quotes behind its flag, as in --lane \"$LANE\"", c.args[at], w)
		}
	}
}

// dosVerb is where the verb stands, -1 where none does or which is not known.
func (c *call) dosVerb() int {
	for i := 0; i < len(c.args); i++ {
		w := c.args[i]
		name, attached, is := flagOf(w)
		switch {
		case w.is("--"), w.many || !w.exact && !(is && attached):
			c.unsure("which verb of git dos runs is not known before it runs", "write the verb out", w)
			return -1
		case !is:
			return i
		case !attached && slices.Contains(dosGlobals, name):
			if i++; i < len(c.args) && c.args[i].many {
				c.unsure("which verb of git dos runs is not known before it runs", "write the verb out, and quotes round the value", c.args[i])
				return -1
			}
		}
	}
	return -1
}

// dosBlank says whether the word at i may turn out to be a flag, or several words:
// one that is no value of the flag before it.
func (c *call) dosBlank(i int) bool {
	w := c.args[i]
	if name, attached, is := flagOf(w); is {
		return name == "" && !w.exact || !attached && !w.exact || w.many
	}
	before, attached, is := flagOf(c.args[i-1])
	if is && !attached && (slices.Contains(dosGlobals, before) || slices.Contains(dosValued, before)) {
		return w.many
	}
	return w.mayBeOption()
}

// flagOf is the name of a flag, with one dash or two, and whether its value is in the
// word.
func flagOf(w word) (name string, attached, is bool) {
	if !strings.HasPrefix(w.text, "-") || w.is("-", "--") {
		return "", false, false
	}
	name, _, attached = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(w.text, "-"), "-"), "=")
	return name, attached, true
}
