package fleet

import (
	"math"
	"strings"
	"testing"
)

func number[N int | int64](n N) *N { return &n }

// roomy is a machine with room for 8 workers and more.
func roomy() Host {
	return Host{Cores: number[int64](64), FreeMB: number[int64](64000), Threads: number[int64](100), DiskMB: number[int64](9000), Inodes: number[int64](1e6)}
}

func TestEveryCombinationOfInputsHasOneVerdictInTheFixedOrder(t *testing.T) {
	seen := map[Readiness]int{}
	for bits := range 1 << 6 {
		unread, ours, full := bits&1 != 0, bits&2 != 0, bits&4 != 0
		seats, crowd, poor := bits&8 != 0, bits&16 != 0, bits&32 != 0
		ev := PreflightEvidence{
			Host: roomy(), MaxWorkers: 8, Target: 6,
			Seats: &Seats{Total: 4, Leased: 1}, Accounts: &Accounts{Routable: 2},
			Processes: []Process{{PID: 7, Name: "somebody's", Reasons: []string{"has 3000 threads"}}},
		}
		want := SpawnOK
		if poor {
			ev.Accounts, want = &Accounts{Waiting: []string{"a until noon"}}, RefuseNoAccount
		}
		if crowd {
			ev.Live.Leases, want = 6, RefuseAtCap
		}
		if seats {
			ev.Seats.Leased, want = 4, RefuseNoSeat
		}
		if full {
			ev.Host.DiskMB, want = number[int64](511), RefuseHost
		}
		if ours {
			ev.Processes, want = append(ev.Processes, Process{PID: 8, Name: "ours", Own: true, Reasons: []string{"has 3000 threads"}}), RefuseHost
		}
		if unread {
			ev.Unread, want = []string{"the leases"}, RefuseInspect
		}
		v := Preflight(ev)
		if v.Outcome != want || v.Reason == "" || (v.Next == "") != v.OK || v.OK != (want == SpawnOK) {
			t.Errorf("combination %06b: %s (%s), want %s", bits, v.Outcome, v.Reason, want)
		}
		if len(v.Reported) != 1 || (len(v.Flagged) == 1) != ours {
			t.Errorf("combination %06b: %d of others reported, %d of ours flagged", bits, len(v.Reported), len(v.Flagged))
		}
		seen[v.Outcome]++
	}
	if len(seen) != 6 {
		t.Errorf("only %v were answered", seen)
	}
}

func TestReadinessHasAnExitStatusOfItsOwn(t *testing.T) {
	for want, outcome := range map[int]Readiness{2: "", 0: SpawnOK, 3: RefuseAtCap, 4: RefuseNoSeat, 5: RefuseNoAccount, 6: RefuseHost, 7: RefuseInspect} {
		if got := (PreflightVerdict{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("%q exits with %d, want %d", outcome, got, want)
		}
	}
}

func TestTheLeastTermBindsAndIsNamed(t *testing.T) {
	host := func(cores, ram, threads int64) Host {
		return Host{Cores: number(cores), FreeMB: number(ram), Threads: number(threads)}
	}
	for name, c := range map[string]struct {
		host        Host
		max, target int
		seats       *Seats
		cap         int
		binding     string
	}{
		"what is configured":                  {roomy(), 8, 0, nil, 8, "max_workers"},
		"the target":                          {roomy(), 8, 3, nil, 3, "target"},
		"a target of none bounds nothing":     {roomy(), 5, 0, nil, 5, "max_workers"},
		"cores":                               {host(6, 64000, 0), 8, 0, nil, 3, "cores"},
		"memory":                              {host(64, 3100, 0), 8, 0, nil, 2, "ram"},
		"threads":                             {host(16, 64000, 5600), 8, 0, nil, 4, "threads"},
		"a busy machine gets on":              {host(1, 10, 9999), 8, 0, nil, 1, "cores"},
		"nothing known of the machine":        {Host{}, 8, 0, nil, 8, "max_workers"},
		"threads are of no use without cores": {Host{Threads: number[int64](1e6)}, 8, 0, nil, 8, "max_workers"},
		"the asker's word for the machine":    {Host{Cores: number[int64](2), Cap: number(5)}, 8, 0, nil, 5, "host"},
		"the asker's word may be none":        {Host{Cap: number(0)}, 8, 0, nil, 0, "host"},
		"seats":                               {roomy(), 8, 6, &Seats{Total: 2}, 2, "seats"},
		"a pool of no seats bounds nothing":   {roomy(), 8, 6, &Seats{}, 6, "target"},
		"of equal terms the first":            {roomy(), 4, 4, &Seats{Total: 4}, 4, "max_workers"},
	} {
		v := Preflight(PreflightEvidence{Host: c.host, MaxWorkers: c.max, Target: c.target, Seats: c.seats})
		if v.Cap != c.cap || v.Binding != c.binding {
			t.Errorf("%s: %d by %s, want %d by %s", name, v.Cap, v.Binding, c.cap, c.binding)
		}
	}
}

func TestWorkersAreCountedByTheSourceThatSeesMost(t *testing.T) {
	for _, c := range []struct{ leases, started, spawned, want int }{{2, 3, 0, 3}, {3, 2, 0, 3}, {3, 2, 2, 5}, {0, 0, 0, 0}} {
		v := Preflight(PreflightEvidence{MaxWorkers: 4, Live: Headcount{c.leases, c.started, c.spawned}})
		if v.Live != c.want || v.Headroom != max(0, 4-c.want) {
			t.Errorf("%+v: %d live with room for %d, want %d", c, v.Live, v.Headroom, c.want)
		}
	}
}

func TestRoomOnTheDisk(t *testing.T) {
	for name, c := range map[string]struct {
		mb, inodes *int64
		want       Readiness
	}{
		"just enough":      {number[int64](512), number[int64](10000), SpawnOK},
		"too few bytes":    {number[int64](511), number[int64](10000), RefuseHost},
		"too few inodes":   {number[int64](512), number[int64](9999), RefuseHost},
		"nothing is known": {nil, nil, SpawnOK},
	} {
		if v := Preflight(PreflightEvidence{MaxWorkers: 1, Host: Host{DiskMB: c.mb, Inodes: c.inodes}}); v.Outcome != c.want {
			t.Errorf("%s: %s, want %s", name, v.Outcome, c.want)
		}
	}
}

func TestSeatsRefuseOnlyWhereTheyBind(t *testing.T) {
	at := func(max int, s Seats) Readiness {
		return Preflight(PreflightEvidence{MaxWorkers: max, Live: Headcount{Leases: s.Leased}, Seats: &s}).Outcome
	}
	if got := at(8, Seats{Total: 2, Leased: 2}); got != RefuseNoSeat {
		t.Errorf("all seats taken: %s", got)
	}
	for n, want := range map[int]string{1: "the one seat there is is taken", 2: "all 2 seats are taken"} {
		v := Preflight(PreflightEvidence{MaxWorkers: 8, Live: Headcount{Leases: n}, Seats: &Seats{Total: n, Leased: n}})
		if v.Outcome != RefuseNoSeat || v.Reason != want || v.Next != "git dos account list" {
			t.Errorf("%+v", v)
		}
	}
	if got := at(2, Seats{Total: 3, Leased: 3}); got != RefuseAtCap {
		t.Errorf("all seats taken, but fewer workers may live: %s", got)
	}
	for _, c := range []struct {
		live, total, leased int
		want                Readiness
	}{{1, 1, 0, SpawnOK}, {3, 1, 1, RefuseNoSeat}, {0, 2, 2, RefuseNoSeat}, {7, 4, 1, SpawnOK}, {8, 4, 1, RefuseAtCap}} {
		v := Preflight(PreflightEvidence{MaxWorkers: 8, Live: Headcount{Leases: c.live}, Seats: &Seats{Total: c.total, Leased: c.leased}})
		if v.Outcome != c.want {
			t.Errorf("%d of %d seats taken, and %d workers on whichever: %s, want %s", c.leased, c.total, c.live, v.Outcome, c.want)
		}
	}
	if got := at(8, Seats{}); got != SpawnOK {
		t.Errorf("no seats declared: %s", got)
	}
}

func TestNumbersThatCannotBeAreNoVerdict(t *testing.T) {
	for name, ev := range map[string]PreflightEvidence{
		"max workers": {MaxWorkers: -1}, "target": {Target: -1}, "live leases": {Live: Headcount{Leases: -1}},
		"started workers": {Live: Headcount{Started: math.MaxInt}}, "spawned workers": {Live: Headcount{Spawned: -1}},
		"seats": {Seats: &Seats{Total: -1}}, "leased seats": {Seats: &Seats{Leased: -1}}, "routable accounts": {Accounts: &Accounts{Routable: -1}},
		"host cap": {Host: Host{Cap: number(-1)}}, "cores": {Host: Host{Cores: number[int64](-1)}},
		"free memory": {Host: Host{FreeMB: number[int64](-1)}}, "threads": {Host: Host{Threads: number[int64](-1)}},
		"free disk": {Host: Host{DiskMB: number[int64](-1)}}, "free inodes": {Host: Host{Inodes: number[int64](-1)}},
	} {
		v := Preflight(ev)
		if v.ExitCode() != 2 || v.Err() == nil || !strings.Contains(v.Reason, name) {
			t.Errorf("%s: status %d, %v", name, v.ExitCode(), v.Err())
		}
	}
	huge := number[int64](math.MaxInt64)
	if v := Preflight(PreflightEvidence{MaxWorkers: 8, Host: Host{Cores: huge, FreeMB: huge, Threads: huge}}); v.Outcome == "" {
		t.Errorf("the largest numbers: %v", v.Err())
	}
}

func TestPreflightSaysWhatItShows(t *testing.T) {
	v := Preflight(PreflightEvidence{MaxWorkers: 1, Processes: []Process{
		{PID: 8, Name: "a\x1b[2J", Own: true, Lane: "api", Reasons: []string{"has 3000 threads"}},
		{PID: 9, Name: "b", Own: true, Reasons: []string{"outlived its worker"}},
		{PID: 7, Name: "c", Reasons: []string{"has 2001 threads"}},
	}})
	text := v.String()
	for _, want := range []string{"REFUSE_HOST", "process 8", "(and 1 more)", "ours    9 b: outlived its worker", "others' 7 c: has 2001 threads", "lane api", "git dos reclaim"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.ContainsRune(text, '\x1b') {
		t.Errorf("a name of a process reaches the terminal as it is: %q", text)
	}
	if len(v.Flagged) != 2 || v.Flagged[0].PID != 8 || v.Flagged[1].PID != 9 {
		t.Errorf("flagged are %v", v.Flagged)
	}
}
