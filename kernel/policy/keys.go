package policy

import (
	"math"
	"slices"
	"time"
)

// witnesses are the words verify.floor may name, strongest first.
var witnesses = []string{"ledger", "signed", "trailer", "subject-in-tree", "subject", "mention"}

// schema is every key of dos.toml, in the order of the documentation.
func schema() []key {
	return slices.Concat(admissionKeys(), fleetKeys(), truthKeys(), lifeKeys(), driverKeys(), gateKeys(), recordKeys())
}

func globs() kind[[]string] { return list(line(checkGlob).called("glob")) }

func lane() kind[string] { return text(checkLane).called("lane") }

func admissionKeys() []key {
	lanes := list(text(checkLane))
	class := func(p *Policy) *ConcurrencyClass { return &p.ConcurrencyClasses[len(p.ConcurrencyClasses)-1] }
	return []key{
		one("workspace", text(), func(p *Policy) *string { return &p.Workspace },
			"accepted for compatibility, never read"),
		one("trunk.ref", line(checkRef), func(p *Policy) *string { return &p.Trunk.Ref },
			"the branch whose history says what shipped; unstated: in a fleet the remote's HEAD, main or master, else the current branch"),
		one("lanes.concurrent", lanes, func(p *Policy) *[]string { return &p.Lanes.Concurrent },
			"lanes that may be held side by side when their trees are disjoint"),
		one("lanes.exclusive", lanes, func(p *Policy) *[]string { return &p.Lanes.Exclusive },
			"lanes held alone; abi, release and global count as such when no list declares them"),
		one("lanes.autopick", lanes, func(p *Policy) *[]string { return &p.Lanes.Autopick },
			"lanes offered, in order, to a request that names none"),
		many("lanes.trees.NAME", globs(), func(p *Policy) map[string][]string { return p.Lanes.Trees }, checkLane,
			"the files a lane covers; without a [lanes] table main and global cover everything"),
		many("lanes.aliases.NAME", lane(), func(p *Policy) map[string]string { return p.Lanes.Aliases }, checkWord,
			"another word for a lane, or for such a word, resolved before anything else"),
		one("overlap.policy", enum(OverlapPrefix, OverlapGlob), func(p *Policy) *OverlapPolicy { return &p.Overlap.Policy },
			"how two trees are compared"),
		one("overlap.ratio_max", number(0, 1.0/3, "from 0 to 1/3"), func(p *Policy) *float64 { return &p.Overlap.RatioMax },
			"the share of a tree that may collide and still be admitted; 0 = none"),
		one("concurrency_class[].name", line(checkWord), func(p *Policy) *string { return &class(p).Name },
			"the kind of lease this entry bounds").must(),
		one("concurrency_class[].max_concurrent", count(0), func(p *Policy) *int { return &class(p).MaxConcurrent },
			"how many leases of the kind may be live; 0 = none").must(),
		one("admission.self_modify", globs(), func(p *Policy) *[]string { return &p.Admission.SelfModify },
			"files that decide admission, which no ordinary lease may cover"),
		one("lease.ttl", duration(time.Second), func(p *Policy) *time.Duration { return &p.Lease.TTL },
			"how long a lease lives without a heartbeat; at least twice the margin"),
		one("lease.margin", duration(time.Second), func(p *Policy) *time.Duration { return &p.Lease.Margin },
			"how long before its end a holder gives up, and how much longer than its ttl a lease is watched before it counts as lapsed; unstated: the larger of 30s and a tenth of the ttl"),
		one("lease.max_clock_skew", duration(0), func(p *Policy) *time.Duration { return &p.Lease.MaxClockSkew },
			"the largest difference between any two clocks; a lease that is older than its ttl by more has lapsed; 0 = never judge one by clocks"),
	}
}

func fleetKeys() []key {
	return []key{
		one("fleet.id", text(checkFleetID), func(p *Policy) *string { return &p.Fleet.ID },
			"the fleet every clone of this repository belongs to; written by init --remote"),
		one("fleet.prefix", line(checkPrefix), func(p *Policy) *string { return &p.Fleet.Prefix },
			"where the fleet's refs live on the remote"),
		one("fleet.lanes", fleetLanes(), func(p *Policy) *FleetLanes { return &p.Fleet.Lanes },
			"which lanes are taken directly on the remote"),
		one("fleet.interval", duration(time.Second), func(p *Policy) *time.Duration { return &p.Fleet.Interval },
			"time between two combined pushes of a node"),
		one("fleet.keep", duration(0), func(p *Policy) *time.Duration { return &p.Fleet.Keep },
			"how long a node keeps an idle delegation when no driver runs"),
		many("plans.NAME", lane(), func(p *Policy) map[string]string { return p.Plans }, checkWord,
			"the lane a plan's units belong to"),
		one("paths.plans_glob", line(checkGlob).called("glob"), func(p *Policy) *string { return &p.Paths.PlansGlob },
			"the plan documents"),
		one("paths.next_packets", line(checkPath).called("path"), func(p *Policy) *string { return &p.Paths.NextPackets },
			"where packets of next work are written"),
		one("paths.runs", line(checkPath).called("path"), func(p *Policy) *string { return &p.Paths.Runs },
			"where run records are written"),
		one("paths.root", line(checkPath).called("path"), func(p *Policy) *string { return &p.Paths.Root },
			"the folder the other paths are relative to"),
	}
}

// fleetLanes is "exclusive", "all" or a list of lanes.
func fleetLanes() kind[FleetLanes] {
	words, names := enum(FleetExclusive, FleetAll), list(lane())
	return kind[FleetLanes]{
		name: words.name + " or " + names.name, want: "a string or a list of lanes",
		read: func(n *node) (FleetLanes, *fault) {
			switch {
			case n.kind == stringKind:
				mode, f := words.read(n)
				return FleetLanes{Mode: mode}, f
			case n.kind == arrayKind && n.origin == inline:
				list, f := names.read(n)
				return FleetLanes{Mode: FleetNamed, Names: list}, f
			}
			return FleetLanes{}, mistyped(n, "a string or a list of lanes")
		},
		show: func(v FleetLanes) string {
			if v.Mode == FleetNamed {
				return names.show(v.Names)
			}
			return words.show(v.Mode)
		},
	}
}

func truthKeys() []key {
	words := list(line())
	return []key{
		one("stamp.style", enum("grep"), func(p *Policy) *string { return &p.Stamp.Style },
			"the grammar of a ship stamp"),
		one("stamp.subject_dirs", words, func(p *Policy) *[]string { return &p.Stamp.SubjectDirs },
			"directories that must lead a stamped subject; empty: one optional directory of any name"),
		one("stamp.trailer_stamp", boolean(), func(p *Policy) *bool { return &p.Stamp.TrailerStamp },
			"also accept a stamp in parentheses at the end of the subject"),
		one("stamp.summary_bundle_prefixes", words, func(p *Policy) *[]string { return &p.Stamp.SummaryBundlePrefixes },
			"subject prefixes, besides a release, that bundle many ships"),
		one("stamp.bookkeeping_prefixes", words, func(p *Policy) *[]string { return &p.Stamp.BookkeepingPrefixes },
			"subject prefixes that name phases without shipping them"),
		one("stamp.progress_markers", words, func(p *Policy) *[]string { return &p.Stamp.ProgressMarkers },
			"words after a phase that mean progress, not completion"),
		one("stamp.sub_phase_parent_fallback", boolean(), func(p *Policy) *bool { return &p.Stamp.SubPhaseParentFallback },
			"let a ship of the parent phase whose subject holds the suffix answer for a sub-phase"),
		one("stamp.code_dirs", words, func(p *Policy) *[]string { return &p.Stamp.CodeDirs },
			"directories whose paths in a plan count as files; empty: any"),
		one("stamp.infra_basenames", words, func(p *Policy) *[]string { return &p.Stamp.InfraBasenames },
			"file names too common to tell one phase's work from another's"),
		one("stamp.infra_doc_basenames", words, func(p *Policy) *[]string { return &p.Stamp.InfraDocBasenames },
			"the same for documents"),
		one("verify.floor", enum(witnesses...), func(p *Policy) *string { return &p.Verify.Floor },
			"the weakest witness that ships a unit; unstated: subject-in-tree when its lane tree is declared, else subject"),
		one("verify.allowed_signers", line(checkPath).called("path"), func(p *Policy) *string { return &p.Verify.AllowedSigners },
			"file in the trunk's tree with the keys whose signatures count"),
		one("ship.release_paths", globs(), func(p *Policy) *[]string { return &p.Ship.ReleasePaths },
			"release files: changing only these ships nothing; matched in any case"),
		one("ship.ledger_paths", globs(), func(p *Policy) *[]string { return &p.Ship.LedgerPaths },
			"status files: changing only these ships nothing"),
		one("ship.plan_paths", globs(), func(p *Policy) *[]string { return &p.Ship.PlanPaths },
			"plan documents: changing only these ships nothing; unstated: paths.plans_glob"),
	}
}

func lifeKeys() []key {
	window := func(p *Policy) *time.Duration { return &p.Cooldown.Window }
	errorWindow := func(p *Policy) *time.Duration { return &p.Cooldown.ErrorWindow }
	keys := []key{
		one("cooldown.window", duration(0), window, "how long an attempted unit is not offered again"),
		one("cooldown.window_ms", inUnits(time.Millisecond, false), window, "the same in milliseconds"),
		one("cooldown.window_hours", inUnits(time.Hour, true), window, "the same in hours"),
		one("cooldown.error_window", duration(0), errorWindow, "the same after an attempt that ended in error"),
		one("cooldown.error_window_ms", inUnits(time.Millisecond, false), errorWindow, "the same in milliseconds"),
		one("cooldown.error_window_minutes", inUnits(time.Minute, true), errorWindow, "the same in minutes"),
		one("liveness.grace", duration(0), func(p *Policy) *time.Duration { return &p.Liveness.Grace },
			"how long a young run counts as advancing without evidence"),
		one("liveness.spin", duration(0), func(p *Policy) *time.Duration { return &p.Liveness.Spin },
			"the oldest beat that still shows life"),
		one("liveness.progress_window", duration(0), func(p *Policy) *time.Duration { return &p.Liveness.ProgressWindow },
			"how far back a commit or event counts as progress"),
		many("heartbeats.NAME", duration(time.Second), func(p *Policy) map[string]time.Duration { return p.Heartbeats }, checkHeartbeat,
			"the interval at which a beat is expected; supervise and dispatcher may beat without one"),
		one("loop.gate", enum("hard", "soft", "drive"), func(p *Policy) *string { return &p.Loop.Gate },
			"what a loop does with a packet that holds nothing to pick"),
		one("improve.max_consecutive_reverts", count(1), func(p *Policy) *int { return &p.Improve.MaxConsecutiveReverts },
			"reverts in a row before a person is asked"),
		one("improve.efficiency_floor", number(0, math.MaxFloat64, "finite and not negative"), func(p *Policy) *float64 { return &p.Improve.EfficiencyFloor },
			"the least work per token worth keeping"),
		one("improve.min_tokens_for_efficiency", integer[int64](0, math.MaxInt64), func(p *Policy) *int64 { return &p.Improve.MinTokensForEfficiency },
			"tokens below which efficiency is not judged"),
	}
	return append(keys, loopBounds()...)
}

func loopBounds() []key {
	bound := func(name string, field func(*Loop) *int, doc string) key {
		return one("loop."+name, count(1), func(p *Policy) *int { return field(&p.Loop) }, doc)
	}
	return []key{
		bound("max_iterations", func(l *Loop) *int { return &l.MaxIterations }, "iterations of one loop"),
		bound("max_unclear", func(l *Loop) *int { return &l.MaxUnclear }, "unclear iterations in a row"),
		bound("max_dirty_zero", func(l *Loop) *int { return &l.MaxDirtyZero }, "dirty iterations in a row that shipped nothing"),
		bound("max_overloaded", func(l *Loop) *int { return &l.MaxOverloaded }, "overloaded launches in a row"),
		bound("max_stale_stamp", func(l *Loop) *int { return &l.MaxStaleStamp }, "stale or blocked gates in a row"),
		bound("max_unproductive_replan", func(l *Loop) *int { return &l.MaxUnproductiveReplan }, "unproductive replans in a row"),
		bound("max_unproductive_replan_drains", func(l *Loop) *int { return &l.MaxUnproductiveReplanDrains },
			"unproductive replans in a row that answered a drain"),
		bound("max_adopt_wait", func(l *Loop) *int { return &l.MaxAdoptWait }, "waits in a row for a parked parent's child"),
	}
}

func recordKeys() []key {
	return []key{
		one("clean.scratch", globs(), func(p *Policy) *[]string { return &p.Clean.Scratch },
			"files that are not stranded work"),
		one("archive.subject", line(contains("{lane}", "{run_id}")), func(p *Policy) *string { return &p.Archive.Subject },
			"the subject of the commit that archives a run; contains {lane} and {run_id}"),
		one("retention.journal_max_entries", unbounded(), func(p *Policy) *int { return &p.Retention.JournalMaxEntries },
			"entries after which a checkpoint is due; -1 = never"),
		one("retention.journal_max_age_days", unbounded(), func(p *Policy) *int { return &p.Retention.JournalMaxAgeDays },
			"days after which a checkpoint is due; -1 = never"),
		one("retention.runs_keep_last", unbounded(), func(p *Policy) *int { return &p.Retention.RunsKeepLast },
			"run records kept in the work tree; -1 = all"),
		one("queue.max_steps", count(1), func(p *Policy) *int { return &p.Queue.MaxSteps },
			"steps above which a task is too large to dispatch"),
	}
}
