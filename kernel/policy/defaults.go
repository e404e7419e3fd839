package policy

import "time"

// Default is the policy of a repository without a dos.toml. Each call returns
// a copy of its own.
func Default() Policy {
	p := Policy{
		Workspace:  ".",
		Lanes:      defaultLanes(),
		Overlap:    Overlap{Policy: OverlapPrefix},
		Lease:      Lease{TTL: 15 * time.Minute, MaxClockSkew: time.Hour},
		Fleet:      Fleet{Prefix: "refs/dos", Lanes: FleetLanes{Mode: FleetExclusive}, Interval: time.Minute},
		Plans:      map[string]string{},
		Paths:      Paths{PlansGlob: "docs/**/*-plan.md", NextPackets: ".dos/verdicts", Runs: ".dos/runs", Root: "."},
		Stamp:      Stamp{Style: "grep"},
		Ship:       defaultShip(),
		Cooldown:   Cooldown{Window: 6 * time.Hour, ErrorWindow: 30 * time.Minute},
		Liveness:   Liveness{Grace: 30 * time.Minute, Spin: 15 * time.Minute, ProgressWindow: time.Hour},
		Heartbeats: map[string]time.Duration{},
		Loop:       defaultLoop(),
		Improve:    Improve{MaxConsecutiveReverts: 3, MinTokensForEfficiency: 1000},
		Supervise:  defaultSupervise(),
		Worker:     Worker{Timeout: 30 * time.Minute, Grace: 20 * time.Second},
		Super:      Super{MaxWorkers: 8, Hold: []string{"dos.toml"}, Settle: 2 * time.Second, RungStep: 3, TargetRate: 10},
		Gates:      defaultGates(),
		Clean:      Clean{Scratch: []string{"tmp/**", "*.err", "**/_*", ".dos/**"}},
		Archive:    Archive{Subject: "dos: run record {run_id} on {lane}"},
		Retention:  Retention{JournalMaxEntries: 5000, JournalMaxAgeDays: 30, RunsKeepLast: 200},
		Queue:      Queue{MaxSteps: 8},
	}
	p.derive()
	return p
}

// derive fills the defaults that follow from other values.
func (p *Policy) derive() {
	if !p.Stated("lease.margin") {
		p.Lease.Margin = max(30*time.Second, p.Lease.TTL/10)
	}
	if !p.Stated("ship.plan_paths") {
		p.Ship.PlanPaths = []string{p.Paths.PlansGlob}
	}
	if !p.Stated("gates."+compileGate+".mode") && len(p.Gates.CompileCommand) > 0 {
		p.Gates.Modes[compileGate] = GateBlock
	}
}

func defaultLanes() Lanes {
	return Lanes{
		Concurrent: []string{"main"},
		Exclusive:  []string{"global"},
		Autopick:   []string{"main"},
		Trees:      map[string][]string{"main": {"**/*"}, "global": {"**/*"}},
		Aliases:    map[string]string{},
	}
}

func defaultShip() Ship {
	return Ship{
		ReleasePaths: []string{"VERSION", "version.txt", "pyproject.toml", "CHANGELOG*", "docs/releases/**"},
		LedgerPaths: []string{
			"**/dos.state.yaml", "**/dos.findings.md", "**/findings-followup-queue.md",
			"**/execution-state.yaml", "**/plans.yaml",
		},
	}
}

func defaultLoop() Loop {
	return Loop{
		Gate:                        "hard",
		MaxIterations:               10,
		MaxUnclear:                  3,
		MaxDirtyZero:                3,
		MaxOverloaded:               4,
		MaxStaleStamp:               3,
		MaxUnproductiveReplan:       2,
		MaxUnproductiveReplanDrains: 2,
		MaxAdoptWait:                2,
	}
}

func defaultSupervise() Supervise {
	return Supervise{
		Target:               1,
		CountSpinningAsAlive: true,
		ReapStalled:          true,
		Interval:             5 * time.Minute,
		PendingWindow:        2 * time.Minute,
		WorkerLaunchTemplate: "git dos dispatch-loop --lane {lane}",
	}
}

func defaultAccount() Account {
	return Account{Tier: 1, SessionCap: 1, Env: map[string]string{}, Kind: "worker"}
}
