package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func gateVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "gate",
			Usage:     "what did the packet contain?",
			ArgsUsage: "SIDECAR",
			Description: "Judges the file beside a packet, .dispositions-TAG.json, before anything is launched. Each of its\n" +
				"units is live, or was left out since it is shipped, soft_claimed or quota_blocked.\n\n" +
				"LIVE: some unit can be launched. DRAIN: none, and for want of work. The others are none too, and\n" +
				"no empty backlog: STALE-STAMP, a unit shipped directly and its plan document does not say so;\n" +
				"BLOCKED, units are claimed or nobody may be started; RACE, .race-TAG.json beside it says that\n" +
				"another renderer had the lock, and the packet is not known to be newer (generated_at after\n" +
				"attempted_at).\n\n" +
				"A file that is missing or malformed is never DRAIN but exit 2, and one malformed entry fails the\n" +
				"whole file. No repository is needed.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "picks-json", Usage: "judge this list of dispositions, as `JSON` or - for standard input, instead of a file"},
				&cli.BoolFlag{Name: "explain", Usage: "say what to do about it too"},
			},
			Action: gatePacket,
		},
		statuses: map[string][]status{
			"gate": {
				{Code: verdict.Yes, Outcome: string(pick.Live), Meaning: "at least one unit can be launched"},
				{Code: 3, Outcome: string(pick.Drain), Meaning: "there is nothing to launch, for want of work"},
				{Code: 4, Outcome: string(pick.StaleStamp), Meaning: "nothing to launch: what shipped is not stamped in its plan document"},
				{Code: 5, Outcome: string(pick.Blocked), Meaning: "nothing to launch: units are claimed, or nobody may be started"},
				{Code: 6, Outcome: string(pick.Raced), Meaning: "another renderer had the lock of the packet: render again"},
			},
		},
	}
}

// A gateAnswer is the verdict and what it is about.
type gateAnswer struct {
	pick.GateVerdict
	Tag string `json:"tag,omitempty"`
}

func gatePacket(c *cli.Context) error {
	ev, tag, err := gateEvidence(c)
	if err != nil {
		return err
	}
	v := pick.DecideGate(ev)
	if v.Err() != nil {
		return gateFault(ev.Fault)
	}
	if c.Bool("explain") {
		v = v.Explain()
	}
	return answer(c, gateAnswer{v, tag})
}

// gateEvidence reads the file that is named, and the race beside it, or the
// list that is given.
func gateEvidence(c *cli.Context) (ev pick.GateEvidence, tag string, err error) {
	given := c.IsSet("picks-json")
	switch {
	case given && c.NArg() > 0:
		return ev, "", usagef("SIDECAR and --picks-json both say what is judged").hint("leave one of them out")
	case !given && (c.NArg() != 1 || c.Args().First() == ""):
		return ev, "", usagef("want one SIDECAR, have %d arguments", c.NArg()).hint("name a file .dispositions-TAG.json, or give a list with --picks-json")
	case given:
		data, err := pickInput(c, "picks-json", pick.MaxPacket)
		if err != nil {
			return ev, "", err
		}
		ev.Dispositions, ev.Fault = pick.ParseDispositions(data)
		if ev.Fault != nil {
			ev.Fault = fmt.Errorf("--picks-json: %w", ev.Fault)
		}
		return ev, "", nil
	}
	path := c.Args().First()
	if tag, err = pick.Tag(filepath.Base(path)); err != nil {
		return ev, "", usagef("%w", err)
	}
	ev, err = gateFiles(path, tag)
	return ev, tag, err
}

// gateFiles reads a sidecar and the race beside it. A sidecar that cannot be
// read is a fault of the packet, which a race explains; a race that cannot be
// read may be one.
func gateFiles(path, tag string) (ev pick.GateEvidence, err error) {
	race := filepath.Join(filepath.Dir(path), pick.RaceName(tag))
	data, err := pickFile(race, pick.MaxState)
	switch {
	case err == nil:
		if r, ok := pick.ParseRace(data); ok {
			ev.Race = &r
		}
	case !errors.Is(err, fs.ErrNotExist):
		return ev, environmentf("%s: %w", race, err)
	}
	data, err = pickFile(path, pick.MaxPacket)
	var s pick.Sidecar
	if err == nil {
		s, err = pick.ParseSidecar(data, tag)
	}
	var told *fs.PathError // which names the file itself
	switch {
	case errors.As(err, &told):
		ev.Fault = err
	case err != nil:
		ev.Fault = fmt.Errorf("%s: %w", path, err)
	}
	ev.Dispositions, ev.GeneratedAt = s.Dispositions, s.GeneratedAt
	return ev, nil
}

func gateFault(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("%w", err).hint("render the packet first; a packet that is not there says nothing of the backlog")
	case errors.As(err, &path):
		return environmentf("%w", err)
	}
	return usagef("%w", err).hint("render the packet again; one malformed entry fails all of it")
}

// pickFile reads a regular file, and of a longer one a byte more than most.
func pickFile(path string, most int64) ([]byte, error) {
	switch st, err := os.Stat(path); {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// pickInput reads a flag that holds JSON, or - for standard input.
func pickInput(c *cli.Context, name string, most int64) ([]byte, error) {
	text := c.String(name)
	if text != "-" {
		return []byte(text), nil
	}
	data, err := readInput(c, c.App.Reader, most)
	if err != nil {
		return nil, environmentf("--%s, standard input: %w", name, err)
	}
	return data, nil
}
