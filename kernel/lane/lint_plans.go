package lane

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// PlanNumberDuplicate is the kind of finding about two plan files of one
// number.
const PlanNumberDuplicate = "PLAN_NUMBER_DUPLICATE"

// LintPlanNumbers finds plan files whose names start with the same number:
// whoever names a plan by it may mean either. A date is no number.
func LintPlanNumbers(files []string) []Finding {
	found, by := []Finding{}, map[string][]string{}
	for _, f := range files {
		if n := planNumber(path.Base(f)); n != "" {
			by[n] = append(by[n], f)
		}
	}
	for _, n := range sortedKeys(by) {
		if same := by[n]; len(same) > 1 {
			slices.Sort(same)
			found = append(found, Finding{
				Kind: PlanNumberDuplicate, Severity: SeverityWarn, Subject: n,
				Detail: fmt.Sprintf("%d plan files have number %s: %s", len(same), n, showAll(same)), Fix: "give each a number of its own",
			})
		}
	}
	SortFindings(found)
	return found
}

// planNumber is the number that a file name starts with, as 7 or 1.2, without
// leading zeros; "" for none.
func planNumber(name string) string {
	rest := strings.TrimLeft(name, "0123456789.")
	number := strings.TrimRight(name[:len(name)-len(rest)], ".")
	if after := name[len(number):]; after != "" && letter(after[0]) || dated(name) {
		return ""
	}
	parts := strings.Split(number, ".")
	for i, p := range parts {
		if parts[i] = strings.TrimLeft(p, "0"); p == "" {
			return ""
		} else if parts[i] == "" {
			parts[i] = "0"
		}
	}
	return strings.Join(parts, ".")
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }

// dated reports whether a name starts with a day, as 2026-01-31 or 20260131.
func dated(name string) bool {
	shape := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, name)
	return strings.HasPrefix(shape, "0000-00-00") || strings.HasPrefix(shape, "00000000") && !strings.HasPrefix(shape, "000000000")
}
