package ship

import "strings"

// Number is the number that the last segment of the plan begins with, "" when
// it has none. Plans are then also known by the number alone, unless several
// share it.
func (q Query) Number() string { return PlanNumber(lastSegment(q.plan)) }

// PlanNumber is the number a plan or plan file is known by: the digits before
// the first underscore, or digits alone.
func PlanNumber(name string) string {
	rest := strings.TrimLeft(name, "0123456789")
	if rest != "" && rest[0] != '_' {
		return ""
	}
	return name[:len(name)-len(rest)]
}

// ambiguous reports whether the query is a bare number that several plan files
// share.
func (q Query) ambiguous() bool {
	return len(q.SameNumber) > 1 && q.Number() == lastSegment(q.plan)
}

// planNames are the folded names a stamp in parentheses may use.
func (q Query) planNames() []string {
	names := []string{q.plan}
	last := lastSegment(q.plan)
	if n := q.Number(); n != "" && n != last && len(q.SameNumber) <= 1 {
		names = append(names, strings.TrimSuffix(q.plan, last)+n)
	}
	return names
}

func lastSegment(plan string) string { return plan[strings.LastIndexByte(plan, '/')+1:] }
