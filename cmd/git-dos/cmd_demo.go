package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func demoVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "demo",
			Usage: "show the whole story in a temporary folder, with real git",
			Description: "Makes a hub and two clones, lets workers take lanes, ship, collide, claim and go stale, prints\n" +
				"each command with its exit status, and removes the folder.\n\n" +
				"With --fleet N it is the story of a supervised fleet instead: a hub, a clone with N lanes and a unit of work\n" +
				"in each, and git dos supervise, which starts a git dos dispatch-loop on every lane. The worker of the last\n" +
				"lane says that its unit is done, and commits nothing. What the journal tells is printed as it comes; then\n" +
				"the supervisor is interrupted, and a clone made afterwards says what shipped. No lane may be held and no\n" +
				"process be left by then. An interrupt ends all that was started.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "keep", Usage: "leave the folder behind and print where it is"},
				&cli.IntFlag{Name: demoFleetFlag, Usage: fmt.Sprintf("show a supervised fleet on `N` lanes, %d to %d", demoFleetLeast, len(demoFleetLanes))},
				&cli.StringFlag{Name: "worker", Hidden: true, Usage: "be the worker `NAME` of a demo in the current directory"},
			},
			Action: demo,
		},
		statuses: map[string][]status{
			"demo": {
				{Code: verdict.Yes, Meaning: "every step, or every lane of the fleet, ended as announced"},
				{Code: verdict.No, Meaning: "one did not end as announced"},
			},
		},
	}
}

func demo(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if name := c.String("worker"); name != "" {
		return demoWorker(c, name)
	}
	if c.IsSet(demoFleetFlag) {
		return demoFleet(c, c.Int(demoFleetFlag))
	}
	st, err := newStage(c)
	if err != nil {
		return environmentf("%w", err)
	}
	if !c.Bool("keep") {
		defer os.RemoveAll(st.root)
	}
	for _, act := range demoActs() {
		if err := st.play(act); err != nil {
			return environmentf("%w", err).hint("run it again with --keep and look into the folder")
		}
	}
	if c.Bool("keep") {
		st.say("\nThe folder is kept: " + st.root)
		st.shown.Folder = st.root
	}
	st.say("")
	return answer(c, st.shown)
}

// A performance answers demo: what was announced and what happened.
type performance struct {
	Steps  []shownStep `json:"steps"`
	Missed []string    `json:"missed,omitempty"` // what did not end as announced
	Folder string      `json:"folder,omitempty"` // where it is kept
}

type shownStep struct {
	What      string `json:"what"`
	Announced int    `json:"announced"`
	Ended     int    `json:"ended"`
}

// ExitCode is no verdict where nothing was shown.
func (p performance) ExitCode() int {
	switch {
	case len(p.Missed) > 0:
		return verdict.No
	case len(p.Steps) > 0:
		return verdict.Yes
	}
	return verdict.NoVerdict
}

func (p performance) String() string {
	var b strings.Builder
	b.WriteString("announced  ended  what\n")
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%9d  %5d  %s\n", s.Announced, s.Ended, s.What)
	}
	for _, m := range p.Missed {
		b.WriteString("not as announced: " + m + "\n")
	}
	return b.String()
}
