package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Check says what is wrong with a task that is to be written, or that was read.
// It does not look at other tasks.
func (t Task) Check() error {
	if !ValidID(t.ID) {
		return fmt.Errorf("id %q is not 12 hex digits", verdict.Clip(t.ID))
	}
	for _, check := range []func() error{t.checkText, t.checkWords, t.checkLists, t.checkState, t.Until.check, t.Source.check, t.Guess.check} {
		if err := check(); err != nil {
			return err
		}
	}
	if t.Created.IsZero() || t.Updated.IsZero() {
		return errors.New("it has no time")
	}
	return nil
}

func (t Task) checkText() error {
	if strings.TrimSpace(t.Title) == "" {
		return errors.New("the title is empty")
	}
	if err := checkLine("title", t.Title, MaxTitle); err != nil {
		return err
	}
	switch {
	case len(t.Body) > MaxBody:
		return fmt.Errorf("the body has %d bytes, at most %d", len(t.Body), MaxBody)
	case !utf8.ValidString(t.Body) || strings.IndexByte(t.Body, 0) >= 0:
		return errors.New("the body is not text in UTF-8")
	}
	if err := checkLine("why", t.Why, maxText); err != nil {
		return err
	}
	return checkLine("by", t.By, maxWord)
}

func (t Task) checkWords() error {
	switch {
	case !slices.Contains(Kinds, t.Kind):
		return fmt.Errorf("kind %q is none of %s", verdict.Clip(string(t.Kind)), words(Kinds))
	case t.Priority != "" && !slices.Contains(Priorities, t.Priority):
		return fmt.Errorf("priority %q is none of %s", verdict.Clip(t.Priority), words(Priorities))
	case t.Steps < 0 || t.Steps > maxSteps:
		return fmt.Errorf("steps %d are not from 0 to %d", t.Steps, maxSteps)
	}
	if t.Lane != "" {
		if name, err := lane.Canonical(t.Lane); err != nil || name != t.Lane {
			return fmt.Errorf("lane %q is no canonical name", verdict.Clip(t.Lane))
		}
	}
	return nil
}

func (t Task) checkLists() error {
	for name, list := range map[string][]string{"labels": t.Labels, "deps": t.Deps, "tree": t.Tree} {
		if len(list) > maxList {
			return fmt.Errorf("%s has %d entries, at most %d", name, len(list), maxList)
		}
		for _, word := range list {
			if err := checkLine(name, word, maxWord); err != nil {
				return err
			}
		}
	}
	for i, id := range t.Deps {
		switch {
		case !ValidID(id):
			return fmt.Errorf("dependency %q is not 12 hex digits", verdict.Clip(id))
		case id == t.ID:
			return errors.New("it depends on itself")
		case slices.Contains(t.Deps[:i], id):
			return fmt.Errorf("dependency %s stands twice", id)
		}
	}
	if _, err := lane.CleanTree(t.Tree); err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	for _, r := range t.Withheld {
		if !r.known() {
			return fmt.Errorf("withheld %q is no rule", verdict.Clip(string(r)))
		}
	}
	return nil
}

func (t Task) checkState() error {
	switch {
	case !t.State.known():
		return fmt.Errorf("state %q is unknown", verdict.Clip(string(t.State)))
	case t.State == Open && t.Until.Empty():
		return errors.New("it is open, and nothing says when it is done")
	case (t.State == Held || t.State.Closed()) && t.Why == "":
		return fmt.Errorf("it is %s without a reason", t.State)
	case (t.State == Duplicate) != (t.Of != ""):
		return errors.New("a duplicate is one of another task, and nothing else is")
	case t.Of != "" && (!ValidID(t.Of) || t.Of == t.ID):
		return fmt.Errorf("it is a duplicate of %q", verdict.Clip(t.Of))
	}
	return nil
}

func (u *Until) check() error {
	if u == nil {
		return nil
	}
	stated := 0
	for _, is := range []bool{u.Unit != "", u.Issue != 0, u.Text != ""} {
		if is {
			stated++
		}
	}
	switch {
	case stated != 1:
		return fmt.Errorf("a done-condition is one thing, and it states %d", stated)
	case u.Issue < 0 || u.Issue > maxNumber:
		return fmt.Errorf("issue %d is no number of an issue", u.Issue)
	}
	if u.Unit != "" {
		return CheckUnit(u.Unit)
	}
	return checkLine("done-condition", u.Text, maxText)
}

// CheckUnit says why a word is not PLAN/PHASE.
func CheckUnit(unit string) error {
	if err := checkLine("unit", unit, maxWord); err != nil {
		return err
	}
	i := strings.LastIndexByte(unit, '/')
	if i <= 0 || i == len(unit)-1 || strings.ContainsFunc(unit, unicode.IsSpace) {
		return fmt.Errorf("unit %q is not PLAN/PHASE", verdict.Clip(unit))
	}
	return nil
}

func (s *Source) check() error {
	switch {
	case s == nil:
		return nil
	case !validURL(s.URL):
		return fmt.Errorf("source %q is no https or http address", verdict.Clip(s.URL))
	case s.Number < 0 || s.Number > maxNumber:
		return fmt.Errorf("source number %d", s.Number)
	}
	return checkLine("rev", s.Rev, maxWord)
}

// validURL reports whether s is an address that may be stored: one without a
// user or a password in it.
func validURL(s string) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "http://")
	}
	host, path, slash := strings.Cut(rest, "/")
	return ok && slash && host != "" && path != "" && len(s) <= maxText && !strings.Contains(host, "@") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// checkLine bounds a text of one line. It may be empty.
func checkLine(what, s string, most int) error {
	switch {
	case len(s) > most:
		return fmt.Errorf("the %s has %d bytes, at most %d", what, len(s), most)
	case !utf8.ValidString(s):
		return fmt.Errorf("the %s is not text in UTF-8", what)
	case strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }):
		return fmt.Errorf("the %s is not one line of text that can be shown: %s", what, verdict.Show(s))
	}
	return nil
}

func words[W ~string](list []W) string {
	all := make([]string, len(list))
	for i, w := range list {
		all[i] = string(w)
	}
	return strings.Join(all, ", ")
}
