package reconcile

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
)

// ErrNoPhase means that a unit does not say which plan and phase it is.
var ErrNoPhase = errors.New("names no plan and phase")

// maxUnit bounds a unit: a plan, a phase and what stands between them.
const maxUnit = 512

// CheckUnit refuses a unit that could not be shown as it is: one that is
// empty, too long, not UTF-8 or not printable.
func CheckUnit(unit string) error {
	switch {
	case strings.TrimSpace(unit) == "":
		return errors.New("unit is empty")
	case len(unit) > maxUnit:
		return fmt.Errorf("unit is longer than %d bytes", maxUnit)
	case strings.ToValidUTF8(unit, "") != unit:
		return errors.New("unit is not UTF-8")
	case strings.ContainsFunc(unit, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("unit has a character that does not print")
	}
	return nil
}

// CheckName refuses what names no unit where one is claimed: a word that begins like
// a flag, which some other one took for its value, and one that is to have a plan
// and a phase, and has not. A word without a slash or "::" is itself alone.
func CheckName(unit string) error {
	if strings.HasPrefix(unit, "-") {
		return fmt.Errorf("unit %q begins like a flag: write it as PLAN/PHASE", unit)
	}
	if _, _, err := Bind(unit, "", ""); err != nil && !errors.Is(err, ErrNoPhase) {
		return fmt.Errorf("unit %q: %w: write it as PLAN/PHASE", unit, err)
	}
	return nil
}

// separator is the second way to write a unit, beside the slash.
const separator = "::"

// Bind returns the plan and phase that a unit names. Without a plan and a
// phase beside it, it must say both itself: PLAN/PHASE, split at the last
// slash, or PLAN::PHASE. With them it must agree: it is one of these two forms
// of them, or the phase alone, spelled as a commit might spell it.
func Bind(unit, plan, phase string) (boundPlan, boundPhase string, err error) {
	if (plan == "") != (phase == "") {
		return "", "", errors.New("a plan and a phase go together")
	}
	if plan == "" {
		if plan, phase, err = split(unit); err != nil {
			return "", "", err
		}
	}
	q, err := ship.NewQuery(plan, phase, policy.Stamp{})
	if err != nil {
		return "", "", err
	}
	if unit != plan+"/"+phase && !agrees(unit, plan, q) {
		return "", "", fmt.Errorf("unit %q is not phase %q of plan %q", unit, phase, plan)
	}
	return plan, phase, nil
}

// split takes a unit apart where only one reading of it is possible.
func split(unit string) (plan, phase string, err error) {
	plan, phase, ok := strings.Cut(unit, separator)
	switch {
	case ok && (strings.Contains(phase, separator) || strings.Contains(phase, "/")):
		return "", "", fmt.Errorf("unit %q can be split in several ways", unit)
	case ok:
		return plan, phase, nil
	}
	i := strings.LastIndexByte(unit, '/')
	if i < 0 {
		return "", "", fmt.Errorf("unit %q %w", unit, ErrNoPhase)
	}
	return unit[:i], unit[i+1:], nil
}

// Spelled is a unit as it is written where units are compared: one that names
// its plan and phase as PLAN/PHASE, any other word as it is.
func Spelled(unit string) string {
	if plan, phase, err := Bind(unit, "", ""); err == nil {
		return plan + "/" + phase
	}
	return unit
}

// Same reports whether another spelling is of the same unit. A unit of a plan is
// the same in whatever spelling; any other word is itself alone.
func Same(unit string) func(other string) bool {
	plan, phase, err := Bind(unit, "", "")
	if err != nil {
		return func(other string) bool { return other == unit }
	}
	q, err := ship.NewQuery(plan, phase, policy.Stamp{})
	return func(other string) bool {
		if other == unit {
			return true
		}
		p, ph, bad := Bind(other, "", "")
		return err == nil && bad == nil && q.Is(p, ph)
	}
}

// agrees reports whether some reading of the unit is the one asked about.
func agrees(unit, plan string, q ship.Query) bool {
	if q.Is(plan, unit) || q.IsUnit(unit) {
		return true
	}
	for at := 0; ; {
		i := strings.Index(unit[at:], separator)
		if i < 0 {
			return false
		}
		if q.Is(unit[:at+i], unit[at+i+len(separator):]) {
			return true
		}
		at += i + 1
	}
}
