package policy

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// problems is the text of everything wrong with a file, one line each.
func problems(t *testing.T, file string) []string {
	t.Helper()
	p, err := Parse([]byte(file))
	if err == nil {
		return nil
	}
	var errs Errors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("error of type %T with %d entries, want a non-empty Errors", err, len(errs))
	}
	if !reflect.DeepEqual(p, Policy{}) {
		t.Errorf("a refused file returned a usable policy")
	}
	var lines []string
	for i, e := range errs {
		lines = append(lines, e.Error())
		if i > 0 && e.Line != 0 && e.Line < errs[i-1].Line {
			t.Errorf("problems out of line order: %v", errs)
		}
	}
	return lines
}

func mustParse(t *testing.T, file string) Policy {
	t.Helper()
	p, err := Parse([]byte(file))
	if err != nil {
		t.Fatalf("refused:\n%s\n%v", file, err)
	}
	return p
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ claim, file, want string }{
		{"an unknown key is named with the nearest and the line", "\n\n[lanes]\n\n# x\n\nautopik = []\n",
			"dos.toml:7: unknown key lanes.autopik; did you mean lanes.autopick?"},
		{"an unknown table is named with the nearest", "[lane]\nautopick = []", "dos.toml:1: unknown table lane; did you mean lanes?"},
		{"swapped letters are one mistake", "[lease]\nttl = 900\nmragin = 30", "dos.toml:3: unknown key lease.mragin; did you mean lease.margin?"},
		{"a key at home in one other table is pointed there", "[lease]\nallowed_signers = \"k\"", "dos.toml:2: unknown key lease.allowed_signers; did you mean verify.allowed_signers?"},
		{"a far name lists what is known", "[overlap]\nzebra = 1", "dos.toml:2: unknown key overlap.zebra; known here: policy, ratio_max"},
		{"a key at home in several tables is pointed to none", "[overlap]\ninterval = 1", "dos.toml:2: unknown key overlap.interval; known here: policy, ratio_max"},
		{"a far table suggests nothing", "[zebrafish]\na = 1", "dos.toml:1: unknown table zebrafish"},
		{"an unknown array of tables is a table", "[[acount]]\nname = \"a\"", "dos.toml:1: unknown table acount; did you mean account?"},
		{"a name that is no bare key is quoted and escaped", "[lease]\n\"a\\u001bb\" = 1", `dos.toml:2: unknown key lease."a\x1bb"; known here: ttl, margin, max_clock_skew`},
		{"a table given as a value", "lease = 3", "dos.toml:1: lease must be a table, not an integer"},
		{"an array of tables given as a table", "[account]\nname = \"a\"", "dos.toml:1: account must be an array of tables; write [[account]]"},
		{"a table given as an array of tables", "[[lease]]\nttl = 900", "dos.toml:1: lease must be a table, not an array of tables"},
		{"a list of lanes given as an array of tables", "[[fleet.lanes]]\n", "dos.toml:1: fleet.lanes must be a string or a list of lanes, not an array of tables"},
		{"a list given as an array of tables", "[[lanes.autopick]]\n", "dos.toml:1: lanes.autopick must be a list of strings, not an array of tables"},
		{"a dotted lane name left unquoted", "[lanes.trees]\na.b = [\"x\"]", "dos.toml:2: lanes.trees.a must be a list of strings, not a table"},
		{"a syntax error has line and column", "[lanes]\nautopick = [\"a\" \"b\"]\n", "dos.toml:2:17: not valid TOML: expected ',' or ']' after array value"},
		{"a file that ends too soon", "a = ", "dos.toml:1:4: not valid TOML: expected value, not end of input"},
		{"a bare carriage return ends no line", "a = 1\rb = 2", "dos.toml:1:6: not valid TOML: expected newline but got U+000D"},
		{"a key is defined once", "[lease]\nttl = 900\nttl = 901", "dos.toml:3: lease.ttl is defined twice, first on line 2"},
		{"a table is defined once", "[lease]\n[fleet]\n[lease]", "dos.toml:3: lease is defined twice, first on line 1"},
		{"a table that came to be before its header", "[fleet.x]\n[lease]\n[fleet]\n[fleet]", "dos.toml:1: unknown table fleet.x; known here: id, prefix, lanes, interval, keep|dos.toml:4: fleet is defined twice, first on line 3"},
		{"an inline table is closed", "lease = { ttl = 900 }\n[lease]\nmargin = 40", "dos.toml:2: lease is defined twice, first on line 1"},
		{"an integer of more than 64 bits", "[queue]\nmax_steps = 99999999999999999999", "dos.toml:2: the number 99999999999999999999 does not fit in 64 bits"},
		{"a float out of range", "[super]\ntarget_rate = 1e999", "dos.toml:2: the number 1e999 does not fit in 64 bits"},
		{"the wrong entry of a list has its own line", "[lanes]\nautopick = [\n  \"a\",\n  true,\n]", "dos.toml:4: lanes.autopick entry 2 must be a string, not a boolean"},
		{"a string is not a list", "[lanes]\nautopick = \"main\"", "dos.toml:2: lanes.autopick must be a list of strings, not a string"},
		{"a boolean is not an integer", "[supervise]\ntarget = true", "dos.toml:2: supervise.target must be an integer, not a boolean"},
		{"a float is not an integer", "[supervise]\ntarget = 1.0", "dos.toml:2: supervise.target must be an integer, not a float"},
		{"a negative target", "[supervise]\ntarget = -1", "dos.toml:2: supervise.target must be at least 0, not -1"},
		{"a budget of none is not a budget", "[supervise]\nmax_concurrency = 0", "dos.toml:2: supervise.max_concurrency must be at least 1, not 0"},
		{"a launch template without a lane", "[supervise]\nworker_launch_template = \"run\"", "dos.toml:2: supervise.worker_launch_template must contain {lane}"},
		{"two spellings of the spin limit", "[supervise]\nspin_halt_after_minutes = 1\nspin_halt_after_ms = 60000",
			"dos.toml:3: supervise.spin_halt_after_ms and supervise.spin_halt_after_minutes (line 2) say the same thing, state one of them"},
		{"two spellings of the window", "[cooldown]\nwindow = \"6h\"\nwindow_hours = 6",
			"dos.toml:3: cooldown.window_hours and cooldown.window (line 2) say the same thing, state one of them"},
		{"two spellings of the error window", "[cooldown]\nerror_window_ms = 1\nerror_window_minutes = 6",
			"dos.toml:3: cooldown.error_window_minutes and cooldown.error_window_ms (line 2) say the same thing, state one of them"},
		{"a ratio above a third", "[overlap]\nratio_max = 0.34", "dos.toml:2: overlap.ratio_max must be from 0 to 1/3, not 0.34"},
		{"a ratio that is not a number", "[overlap]\nratio_max = nan", "dos.toml:2: overlap.ratio_max must be from 0 to 1/3, not NaN"},
		{"a negative ratio", "[overlap]\nratio_max = -0.1", "dos.toml:2: overlap.ratio_max must be from 0 to 1/3, not -0.1"},
		{"an efficiency floor that everything passes", "[improve]\nefficiency_floor = nan", "dos.toml:2: improve.efficiency_floor must be finite and not negative, not NaN"},
		{"an infinite efficiency floor", "[improve]\nefficiency_floor = inf", "dos.toml:2: improve.efficiency_floor must be finite and not negative, not +Inf"},
		{"an unknown overlap policy", "[overlap]\npolicy = \"Glob\"", `dos.toml:2: overlap.policy must be "prefix" or "glob", not "Glob"`},
		{"a stamp style that is not grep", "[stamp]\nstyle = \"trailer\"", `dos.toml:2: stamp.style must be "grep", not "trailer"`},
		{"an unknown gate mode", "[gates.ungated]\nmode = \"on\"", `dos.toml:2: gates.ungated.mode must be "block" or "warn" or "off", not "on"`},
		{"an unknown fleet mode", "[fleet]\nlanes = \"named\"", `dos.toml:2: fleet.lanes must be "exclusive" or "all", not "named"`},
		{"an unknown witness", "[verify]\nfloor = \"direct\"", `dos.toml:2: verify.floor must be "ledger" or "signed" or "trailer" or "subject-in-tree" or "subject" or "mention", not "direct"`},
		{"an empty fleet id", "[fleet]\nid = \"\"", `dos.toml:2: fleet.id must be 1 to 100 of the characters A-Z a-z 0-9 . _ -, not ""`},
		{"a fleet id with a space", "[fleet]\nid = \"a b\"", `dos.toml:2: fleet.id must be 1 to 100 of the characters A-Z a-z 0-9 . _ -, not "a b"`},
		{"a fleet id of 101 characters", "[fleet]\nid = \"" + strings.Repeat("a", 101) + "\"", "dos.toml:2: fleet.id must be 1 to 100 of the characters A-Z a-z 0-9 . _ -, not \"" + strings.Repeat("a", 60) + "\"..."},
		{"a prefix outside refs", "[fleet]\nprefix = \"heads/dos\"", `dos.toml:2: fleet.prefix must begin with refs/, "heads/dos" does not; write "refs/dos"`},
		{"a prefix of one part", "[fleet]\nprefix = \"refs\"", `dos.toml:2: fleet.prefix must begin with refs/, "refs" does not; write "refs/dos"`},
		{"a prefix that is everybody's", "[fleet]\nprefix = \"refs/heads\"", `dos.toml:2: fleet.prefix must have a name of its own below refs/heads; write "refs/heads/dos"`},
		{"a ttl under twice the margin it implies", "[lease]\nttl = 59", "dos.toml:2: lease.ttl leaves a ttl of 59s under twice the margin of 30s; raise lease.ttl or lower lease.margin"},
		{"a margin over half the ttl", "[lease]\nmargin = \"8m\"", "dos.toml:2: lease.margin leaves a ttl of 15m under twice the margin of 8m; raise lease.ttl or lower lease.margin"},
		{"no ttl at all", "[lease]\nttl = 0", "dos.toml:2: lease.ttl must be at least 1s, not 0s"},
		{"a class without a bound", "[[concurrency_class]]\nname = \"build\"", "dos.toml:1: concurrency_class[0] has no max_concurrent"},
		{"a class without a name", "[[concurrency_class]]\nmax_concurrent = 1", "dos.toml:1: concurrency_class[0] has no name"},
		{"a boolean bound", "[[concurrency_class]]\nname = \"a\"\nmax_concurrent = true", "dos.toml:3: concurrency_class[0].max_concurrent must be an integer, not a boolean"},
		{"an account without a name", "account = [{ tier = 2 }]", "dos.toml:1: account[0] has no name"},
		{"two accounts of one name", "[[account]]\nname = \"a\"\n[[account]]\nname = \"a\"", `dos.toml:4: account[1].name "a" is already the name of the account on line 2`},
		{"an account's environment has names", "[[account]]\nname = \"a\"\nenv = { \"A=B\" = \"c\" }", `dos.toml:3: account[0].env."A=B" is not the name of an environment variable: "A=B"`},
		{"a beat without an interval", "[heartbeats]\nsupervise = 0", "dos.toml:2: heartbeats.supervise must be at least 1s, not 0s"},
		{"a beat of a strange name", "[heartbeats]\nSupervise = 5", "dos.toml:2: heartbeats.Supervise is not a legal beat name: use a-z, 0-9 and -, beginning with a letter or digit"},
		{"a beat of a long name", "[heartbeats]\n" + strings.Repeat("x", 101) + " = 5", "dos.toml:2: heartbeats." + strings.Repeat("x", 60) + "... is longer than 100 bytes"},
		{"a beat that reads as a flag", "[heartbeats]\n-x = 5", "dos.toml:2: heartbeats.-x is not a legal beat name: use a-z, 0-9 and -, beginning with a letter or digit"},
		{"a variable that begins with a digit", "[worker]\nenv_pass = [\"1A\"]", `dos.toml:2: worker.env_pass entry 1 is not the name of an environment variable: "1A"`},
		{"a name too long to look up", "[plans]\n" + strings.Repeat("a", 201) + " = \"docs\"", "dos.toml:2: plans." + strings.Repeat("a", 60) + "... is a name of 201 bytes, more than the 200 allowed"},
		{"a status that means two things", "[worker.exit]\nrate_limited = [75]\noverloaded = [7, 75]", "dos.toml:3: worker.exit.overloaded holds 75, which worker.exit.rate_limited holds too"},
		{"success mapped to a failure", "[worker.exit]\noverloaded = [0]", "dos.toml:2: worker.exit.overloaded entry 1 must be at least 1, not 0"},
		{"a status no process can end with", "[worker.exit]\noverloaded = [\n1,\n256]", "dos.toml:4: worker.exit.overloaded entry 2 must be at most 255, not 256"},
		{"a count that not every machine can hold", "[queue]\nmax_steps = 2147483648", "dos.toml:2: queue.max_steps must be at most 2147483647, not 2147483648"},
		{"a build gate with nothing to build", "[gates.trunk_would_not_compile]\nmode = \"block\"",
			`dos.toml:2: gates.trunk_would_not_compile.mode switches on a gate that has no command to run; set gates.trunk_would_not_compile.command, as in ["go", "build", "./..."]`},
		{"a command without a program", "[worker]\ncommand = [\" \", \"x\"]", "dos.toml:2: worker.command must name a program in its first entry"},
		{"a NUL in a word", "[worker]\ncommand = [\"a\", \"b\\u0000\"]", "dos.toml:2: worker.command entry 2 contains a NUL character"},
		{"a subject of two lines", "[archive]\nsubject = \"{lane}\\n{run_id}\"", `dos.toml:2: archive.subject must not contain control characters, "{lane}\n{run_id}" does`},
		{"a subject without the run", "[archive]\nsubject = \"{lane}\"", "dos.toml:2: archive.subject must contain {run_id}"},
		{"a path out of the repository", "[paths]\nruns = \"../runs\"", `dos.toml:2: paths.runs "../runs" must not lead out of the repository with ..`},
		{"a trunk that reads as a flag", "[trunk]\nref = \"--all\"", `dos.toml:2: trunk.ref is not a legal ref name: "--all"`},
		{"a retention of minus two", "[retention]\nruns_keep_last = -2", "dos.toml:2: retention.runs_keep_last must be at least -1, not -2"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			got := problems(t, tt.file)
			if strings.Join(got, "|") != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestParseReportsEveryProblemInLineOrder(t *testing.T) {
	file := "[lease]\nttl = \"soon\"\nmagin = 3\n[lanes]\nconcurrent = [\"a\", \"A\"]\n[lease]\nx-y = 1\nbroken\n"
	want := []string{
		"dos.toml:2: lease.ttl is not a duration: \"soon\"; " + durationHint,
		"dos.toml:3: unknown key lease.magin; did you mean lease.margin?",
		"dos.toml:6: lease is defined twice, first on line 1",
		"dos.toml:7: unknown key lease.x-y; known here: ttl, margin, max_clock_skew",
		"dos.toml:8:7: not valid TOML: expected '=' after key",
	}
	if got := problems(t, file); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	_, err := Parse([]byte(file))
	if got, want := err.Error(), want[0]+" (and 4 more)"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestParseTakesNoFileItCannotRead(t *testing.T) {
	tests := []struct{ claim, file, want string }{
		{"NUL", "[lanes]\n\x00", "dos.toml:2: the file contains a NUL byte; save the file as UTF-8 text"},
		{"UTF-16", "\xff\xfe[\x00l\x00", "dos.toml:1: the file contains a NUL byte; save the file as UTF-8 text"},
		{"invalid UTF-8", "# \n# \xc3\x28", "dos.toml:2: the file is not valid UTF-8; save the file as UTF-8 text"},
		{"a byte more than 1 MiB", strings.Repeat("#", 1<<20+1), "dos.toml: the file has 1048577 bytes, more than the 1048576 allowed"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := problems(t, tt.file); len(got) != 1 || got[0] != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := problems(t, strings.Repeat("#", 1<<20)); got != nil {
		t.Errorf("a file of exactly 1 MiB is refused: %q", got)
	}
}

func TestParseBoundsAHostileFile(t *testing.T) {
	files := map[string]string{
		"unknown keys":       numbered("k%d = 1\n", 80000),
		"one key many times": strings.Repeat("a = 1\n", 150000),
		"lanes in two lists": "[lanes]\nexclusive = [" + strings.Repeat("\"a\",", 120000) + "]\nautopick = [" + strings.Repeat("\"a\",", 120000) + "]",
		"deep values":        "plan = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"deep keys":          strings.Repeat("a.", 400000) + "a = 1",
		"accounts":           strings.Repeat("[[account]]\n", 80000),
		"a long name twice":  "[plan." + strings.Repeat("a", 400000) + "]\n" + strings.Repeat("a=1\n", 150000),
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			got := problems(t, file)
			if len(got) == 0 || len(got) > maxProblems+1 {
				t.Errorf("%d problems, want 1 to %d", len(got), maxProblems+1)
			}
			for _, g := range got {
				if len(g) > 500 {
					t.Fatalf("a message of %d bytes", len(g))
				}
			}
		})
	}
}

func TestByteOrderMarkAndCRLFChangeNothing(t *testing.T) {
	plain := "# c\n[lanes]\nconcurrent = [\n  \"a\",\n]\n[lanes.trees]\na = [\"a/**\"]\n"
	want := mustParse(t, plain)
	got := mustParse(t, "\xef\xbb\xbf"+strings.ReplaceAll(plain, "\n", "\r\n"))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if n := got.Line("lanes.trees.a"); n != 7 {
		t.Errorf("line of lanes.trees.a = %d, want 7", n)
	}
	for _, empty := range []string{"", "\xef\xbb\xbf", "\r\n", "# nothing"} {
		want := Default()
		want.lines = map[string]int{}
		if got := mustParse(t, empty); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is not the default policy", empty)
		}
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
