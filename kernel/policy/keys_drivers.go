package policy

import (
	"math"
	"time"
)

func driverKeys() []key {
	return append(superviseKeys(), append(workerKeys(), append(superKeys(), accountKeys()...)...)...)
}

func superviseKeys() []key {
	spin := func(p *Policy) **time.Duration { return &p.Supervise.SpinHaltAfter }
	return []key{
		one("supervise.target", count(0), func(p *Policy) *int { return &p.Supervise.Target },
			"workers to keep alive"),
		one("supervise.count_spinning_as_alive", boolean(), func(p *Policy) *bool { return &p.Supervise.CountSpinningAsAlive },
			"count a spinning worker toward the target"),
		one("supervise.reap_stalled", boolean(), func(p *Policy) *bool { return &p.Supervise.ReapStalled },
			"free the lane of a stalled worker"),
		one("supervise.spin_halt_after_ms", optional(inUnits(time.Millisecond, true)), spin,
			"milliseconds of spinning after which a halt is proposed; unstated: never"),
		one("supervise.spin_halt_after_minutes", optional(inUnits(time.Minute, true)), spin,
			"the same in minutes; stating both is an error"),
		one("supervise.max_concurrency", budget(), func(p *Policy) *int { return &p.Supervise.MaxConcurrency },
			"workers on lanes that are claimed as they run; unstated: no such budget"),
		one("supervise.interval", duration(time.Second), func(p *Policy) *time.Duration { return &p.Supervise.Interval },
			"time between two ticks"),
		one("supervise.pending_window", duration(0), func(p *Policy) *time.Duration { return &p.Supervise.PendingWindow },
			"how long a launched worker counts as starting"),
		one("supervise.worker_launch_template", line(contains("{lane}")), func(p *Policy) *string { return &p.Supervise.WorkerLaunchTemplate },
			"the command that starts a worker on {lane}, split into words without a shell; that of the default needs worker.command"),
	}
}

func workerKeys() []key {
	statuses := list(integer[int](1, 255))
	return []key{
		one("worker.command", argv(), func(p *Policy) *[]string { return &p.Worker.Command },
			"the command a worker runs; {prompt_file} {lane} {unit} {run_id} are replaced in each word"),
		one("worker.prompt", line(checkPath).called("path"), func(p *Policy) *string { return &p.Worker.Prompt },
			"file with the prompt, at most 4000 characters"),
		one("worker.env_pass", list(text(checkEnvName)), func(p *Policy) *[]string { return &p.Worker.EnvPass },
			"environment variables passed on besides the usual ones"),
		one("worker.timeout", duration(time.Second), func(p *Policy) *time.Duration { return &p.Worker.Timeout },
			"how long a worker may run"),
		one("worker.grace", duration(0), func(p *Policy) *time.Duration { return &p.Worker.Grace },
			"time between asking a worker to end and ending it"),
		one("worker.worktree", boolean(), func(p *Policy) *bool { return &p.Worker.Worktree },
			"give each worker a linked worktree"),
		one("worker.exit.rate_limited", statuses, func(p *Policy) *[]int { return &p.Worker.Exit.RateLimited },
			"statuses of the command that mean RATE_LIMITED"),
		one("worker.exit.overloaded", statuses, func(p *Policy) *[]int { return &p.Worker.Exit.Overloaded },
			"statuses of the command that mean OVERLOADED"),
	}
}

func superKeys() []key {
	return []key{
		one("super.max_workers", count(1), func(p *Policy) *int { return &p.Super.MaxWorkers },
			"workers alive at once"),
		one("super.hold", globs(), func(p *Policy) *[]string { return &p.Super.Hold },
			"files no wave may touch; unstated: dos.toml and the installed hooks"),
		one("super.settle", duration(0), func(p *Policy) *time.Duration { return &p.Super.Settle },
			"time between two launches"),
		one("super.rung_step", count(1), func(p *Policy) *int { return &p.Super.RungStep },
			"workers of the second rung of the ramp"),
		one("super.target_rate", number(0, math.MaxFloat64, "finite and not negative"), func(p *Policy) *float64 { return &p.Super.TargetRate },
			"ships per hour that grade as full throughput"),
	}
}

func accountKeys() []key {
	last := func(p *Policy) *Account { return &p.Accounts[len(p.Accounts)-1] }
	return []key{
		one("account[].name", line(checkWord), func(p *Policy) *string { return &last(p).Name },
			"the account; names are unique").must(),
		one("account[].tier", count(1), func(p *Policy) *int { return &last(p).Tier },
			"the work it may do: 1 = engineering, 2 = gardening"),
		one("account[].session_cap", count(0), func(p *Policy) *int { return &last(p).SessionCap },
			"seats: workers the account may run at once"),
		many("account[].env.NAME", text(), func(p *Policy) map[string]string { return last(p).Env }, checkEnvName,
			"environment of the account's workers"),
		one("account[].probe", argv(), func(p *Policy) *[]string { return &last(p).Probe },
			"the command that tells whether the account is available"),
		one("account[].kind", enum("worker", "excluded", "non-account"), func(p *Policy) *string { return &last(p).Kind },
			"whether the account may be used"),
	}
}

func gateKeys() []key {
	var keys []key
	modes := enum(GateBlock, GateWarn, GateOff)
	for _, d := range gateDefaults {
		keys = append(keys, key{
			path: "gates." + d.name + ".mode", typ: modes.name, doc: d.doc,
			read: func(p *Policy, _ string, n *node) *fault {
				mode, f := modes.read(n)
				if f == nil {
					p.Gates.Modes[d.name] = mode
				}
				return f
			},
			show: func(p *Policy, _ string) string { return modes.show(p.Gates.Modes[d.name]) },
		})
	}
	return append(keys,
		one("gates."+compileGate+".command", argv(), func(p *Policy) *[]string { return &p.Gates.CompileCommand },
			"the command that builds the trunk"),
		one("gates."+compileGate+".timeout", duration(time.Second), func(p *Policy) *time.Duration { return &p.Gates.CompileTimeout },
			"how long that command may take"),
		one("gates.file_admission.max_bytes", integer[int64](0, math.MaxInt64), func(p *Policy) *int64 { return &p.Gates.MaxBytes },
			"the largest file admitted"),
		one("gates.secret_shape.allow", list(line()), func(p *Policy) *[]string { return &p.Gates.SecretAllow },
			"globs or fingerprints let through"),
	)
}
