package hooks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// An Override lets the findings of one token through, once.
type Override struct {
	Token  Token  `json:"token"`
	Reason string `json:"reason"`
}

// OverrideVariable is where a human states overrides.
const OverrideVariable = "GIT_DOS_OVERRIDE"

// maxOverride bounds the text of all overrides.
const maxOverride = 4096

// nextOverride is where one override ends and another begins: a new line, or a
// semicolon that something like a token and a colon follow.
var nextOverride = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\n|;\s*(?:[A-Z_]+\s*:)`)
})

// ParseOverrides reads "TOKEN: reason", several of them separated by newlines or
// semicolons. A token that no gate has, a reason that is missing and a token
// that stands twice are errors, so that nobody overrides by mistake.
func ParseOverrides(text string) ([]Override, error) {
	if len(text) > maxOverride {
		return nil, fmt.Errorf("%s is longer than %d bytes", OverrideVariable, maxOverride)
	}
	var all []Override
	for _, part := range overrideParts(text) {
		word, reason, _ := strings.Cut(part, ":")
		o := Override{Token(strings.TrimSpace(word)), strings.TrimSpace(reason)}
		switch {
		case !slices.Contains(Tokens, o.Token):
			return nil, fmt.Errorf("%s: %q is no token of a gate", OverrideVariable, clip(string(o.Token)))
		case o.Reason == "":
			return nil, fmt.Errorf("%s: %s has no reason", OverrideVariable, o.Token)
		case slices.ContainsFunc(all, func(before Override) bool { return before.Token == o.Token }):
			return nil, fmt.Errorf("%s: %s stands twice", OverrideVariable, o.Token)
		}
		all = append(all, o)
	}
	return all, nil
}

func overrideParts(text string) (parts []string) {
	keep := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	for {
		at := nextOverride().FindStringIndex(text)
		if at == nil {
			keep(text)
			return parts
		}
		keep(text[:at[0]])
		text = text[at[0]+1:]
	}
}
