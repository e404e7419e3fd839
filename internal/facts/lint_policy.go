package facts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
)

// Kinds of finding about the file, and about names and trees that stand for
// nothing, beside those of package lane.
const (
	lintPolicyError = "POLICY_ERROR"
	lintIgnoredKey  = "IGNORED_KEY"
	lintNoPolicy    = "NO_POLICY"

	lintPlanLane  = "PLAN_LANE_UNDECLARED"
	lintFleetLane = "FLEET_LANE_UNDECLARED"
	lintLooseTree = "TREE_OF_NO_LANE"
	lintEmptyTree = "TREE_WITHOUT_FILES"
)

// lintNothing is what there is to say where there is no file.
func lintNothing() []lane.Finding {
	return []lane.Finding{{
		Kind: lintNoPolicy, Severity: lane.SeverityInfo, Subject: policyFile, Detail: "there is no dos.toml here, so the defaults hold", Fix: "git dos init writes one",
	}}
}

// lintErrors is what makes a file unusable.
func lintErrors(bad policy.Errors) []lane.Finding {
	var found []lane.Finding
	for _, e := range bad {
		found = append(found, lane.Finding{
			Kind: lintPolicyError, Severity: lane.SeverityError, Subject: cmp.Or(e.Key, policyFile), Line: e.Line, Detail: e.Message,
			Fix: cmp.Or(e.Hint, "put this value right: until then no verb decides by the file, and lint sees no more of it"),
		})
	}
	lane.SortFindings(found)
	return found
}

func lintKeys(p policy.Policy) []lane.Finding {
	found := []lane.Finding{}
	for _, k := range p.Ignored {
		found = append(found, lane.Finding{
			Kind: lintIgnoredKey, Severity: lane.SeverityInfo, Subject: k.Key, Line: k.Line, Detail: k.Key + " is accepted and has no effect", Fix: "remove it once no older tool reads the file",
		})
	}
	return found
}

// lintLanes is what there is to say of the lanes, with the lines it is about. A
// file that names the glob algebra was not written for the older kernel, and
// relies on none of its defaults.
func lintLanes(p policy.Policy) []lane.Finding {
	ev := lane.LintEvidence{
		Lanes: Taxonomy(p), Algebra: lane.Algebra(p.Overlap.Policy),
		RatioStated: p.Stated("overlap.ratio_max") || p.Overlap.Policy == policy.OverlapGlob,
	}
	for _, class := range p.ConcurrencyClasses {
		ev.Classes = append(ev.Classes, class.Name)
	}
	found := lane.Lint(ev)
	for i, f := range found {
		found[i].Line = laneLine(p, f)
	}
	return found
}

// laneLine is the line a finding of package lane is about, 0 when there is none
// to name.
func laneLine(p policy.Policy, f lane.Finding) int {
	switch f.Kind {
	case lane.AliasTargetUndeclared:
		return p.Line("lanes.aliases." + f.Subject)
	case lane.AutopickLaneUndeclared, lane.AutopickLaneExclusive:
		return p.Line("lanes.autopick")
	case lane.ClassNeverBinds:
		for i, class := range p.ConcurrencyClasses {
			if class.Name == f.Subject {
				return p.Line(fmt.Sprintf("concurrency_class[%d].name", i))
			}
		}
	case lane.LaneRegionShadowed, lane.GlobNotUnderstood:
		return p.Line("lanes.trees." + f.Subject)
	case lane.LaneListedTwice:
		return p.Line(f.Subject)
	case lane.LaneWithoutTree:
		if !slices.Contains(p.Lanes.Concurrent, f.Subject) {
			return p.Line("lanes.autopick")
		}
	}
	return p.Line("lanes.concurrent")
}

// lintNames is what there is to say of the lanes that other tables name.
func lintNames(p policy.Policy) []lane.Finding {
	var found []lane.Finding
	for plan, name := range p.Plans {
		if _, known := p.Lane(name); !known {
			found = append(found, lane.Finding{
				Kind: lintPlanLane, Severity: lane.SeverityWarn, Subject: plan, Line: p.Line("plans." + plan),
				Detail: "the units of plan " + plan + " belong to lane " + name + ", which is not declared", Fix: "declare that lane, or name another under [plans]",
			})
		}
	}
	for _, name := range p.Fleet.Lanes.Names {
		if _, known := p.Lane(name); !known {
			found = append(found, lane.Finding{
				Kind: lintFleetLane, Severity: lane.SeverityWarn, Subject: name, Line: p.Line("fleet.lanes"),
				Detail: "lane " + name + " is in fleet.lanes, to be taken on the remote itself, and is not declared", Fix: "declare that lane, or take it out of fleet.lanes",
			})
		}
	}
	listed := p
	listed.Lanes.Trees, listed.Lanes.Aliases = nil, nil
	for name := range p.Lanes.Trees {
		if _, known := listed.Lane(name); !known {
			found = append(found, lane.Finding{
				Kind: lintLooseTree, Severity: lane.SeverityInfo, Subject: name, Line: p.Line("lanes.trees." + name),
				Detail: "lane " + name + " has a tree and stands in no list, so it is had by its name alone", Fix: "add it to lanes.concurrent, or remove its tree",
			})
		}
	}
	return found
}

// lintTrees finds the trees that hold no file. Before anything is tracked that
// says nothing.
func lintTrees(p policy.Policy, files []string) []lane.Finding {
	if len(files) == 0 {
		return nil
	}
	empty := map[string]lane.Scope{}
	for name, tree := range p.Lanes.Trees {
		if tree = slices.DeleteFunc(slices.Clone(tree), func(glob string) bool { return glob == "" }); len(tree) > 0 {
			empty[name] = lane.NewScope(tree)
		}
	}
	for _, file := range files {
		maps.DeleteFunc(empty, func(_ string, s lane.Scope) bool { return s.Contains(file) })
	}
	var found []lane.Finding
	for name := range empty {
		found = append(found, lane.Finding{
			Kind: lintEmptyTree, Severity: lane.SeverityInfo, Subject: name, Line: p.Line("lanes.trees." + name),
			Detail: "no tracked file lies in the tree of lane " + name + ": " + strings.Join(p.Lanes.Trees[name], " "),
			Fix:    "look at the spelling, in which case counts; it is right where the files are still to come",
		})
	}
	return found
}
