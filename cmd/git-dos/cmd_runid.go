package main

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func runIDVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "run-id",
			Usage: "name a run so that names sort by start time",
			Subcommands: []*cli.Command{{
				Name:      "mint",
				Usage:     "make a new run id",
				ArgsUsage: "[PROCESS]",
				Description: "PROCESS is CID_PROCESS_ID when left out. Without --parent, the run of GIT_DOS_RUN_ID or\n" +
					"CID_RUN_ID is the parent, and CID_ROOT_ID or that same run is the root.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "parent", Usage: "`RUN` that started this one"},
					&cli.StringFlag{Name: "root", Usage: "`RUN` that the whole family goes back to"},
				},
				Action: runIDMint,
			}, {
				Name:      "decode",
				Usage:     "read the start time out of a run id",
				ArgsUsage: "TOKEN",
				Action:    runIDDecode,
			}},
		},
		statuses: map[string][]status{
			"run-id mint": {{Code: verdict.Yes, Meaning: "the run id is printed"}},
			"run-id decode": {
				{Code: verdict.Yes, Outcome: "VALID", Meaning: "the token is a run id"},
				{Code: verdict.No, Outcome: "INVALID", Meaning: "the token is not a run id"},
			},
		},
	}
}

func runIDMint(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("want one PROCESS, have %d arguments", c.NArg())
	}
	process := c.Args().First()
	if c.NArg() == 0 {
		process = firstEnv("CID_PROCESS_ID")
	}
	m, err := mintRun(now(c), lineage(c, process))
	if errors.Is(err, runid.ErrTime) {
		return environmentf("%w", err).hint("check the clock")
	}
	if err != nil {
		return usagef("%w", err).hint("run: git dos run-id mint PROCESS, for instance git dos run-id mint loop")
	}
	return answer(c, minted{m})
}

// mintRun names a run that starts now.
func mintRun(now time.Time, l runid.Lineage) (runid.Record, error) {
	var entropy [4]byte
	_, _ = rand.Read(entropy[:]) // never fails: crypto/rand ends the process instead
	return runid.Mint(now.UnixMilli(), binary.BigEndian.Uint32(entropy[:]), l)
}

// lineage takes the ancestors from the flags, else from the environment a
// parent run sets for its children.
func lineage(c *cli.Context, process string) runid.Lineage {
	l := runid.Lineage{Process: process, Parent: c.String("parent"), Root: c.String("root")}
	if c.IsSet("parent") {
		return l
	}
	l.Parent = firstEnv("GIT_DOS_RUN_ID", "CID_RUN_ID")
	if l.Parent != "" && !c.IsSet("root") {
		l.Root = firstOf(firstEnv("CID_ROOT_ID"), l.Parent)
	}
	return l
}

// minted answers run-id mint.
type minted struct{ runid.Record }

func (m minted) ExitCode() int  { return verdict.Yes }
func (m minted) String() string { return m.RunID }

func runIDDecode(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("want one TOKEN, have %d arguments", c.NArg())
	}
	v := decoded{Outcome: "INVALID", token: c.Args().First()}
	if ms, ok := runid.Decode(v.token); ok {
		at := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00")
		v = decoded{Outcome: "VALID", Valid: true, Millis: &ms, Time: &at, token: v.token}
	}
	return answer(c, v)
}

// decoded answers run-id decode.
type decoded struct {
	Outcome string  `json:"outcome"`
	Valid   bool    `json:"valid"`
	Millis  *int64  `json:"ts_ms"`
	Time    *string `json:"time"`
	token   string
}

func (d decoded) ExitCode() int {
	switch d.Outcome {
	case "VALID":
		return verdict.Yes
	case "INVALID":
		return verdict.No
	}
	return verdict.NoVerdict
}

func (d decoded) String() string {
	if !d.Valid {
		return fmt.Sprintf("INVALID %q is not RID- and 15 letters or digits of the run id alphabet", d.token)
	}
	return fmt.Sprintf("VALID %d %s", *d.Millis, *d.Time)
}
