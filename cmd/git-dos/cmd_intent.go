package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func intentVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "intent",
			Usage: "declare what a run is to do, so that it can be gone on with when it stops",
			Description: "A run declares a goal, a unit of a plan, or steps, and from then on only more of it: steps that\n" +
				"are declared stay, in their order, and further --step add to them. GLOBs say which files the\n" +
				"commit of a step must touch. The run's start is HEAD at its first intent; only commits after it\n" +
				"can be its steps. Without anything to declare, a run that has an intent is taken up again: it is\n" +
				"no longer suspended, and may be proposed to be resumed once more.\n\n" +
				"The declaration stands in this node's ledger, and git dos sync publishes it.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "run-id", Usage: "`RUN`; by default GIT_DOS_RUN_ID, else the run of the lease this worktree took"},
				&cli.StringFlag{Name: "goal", Usage: "what it is to achieve, in `WORDS`"},
				&cli.StringFlag{Name: "plan", Usage: "the `PLAN` it works on"},
				&cli.StringFlag{Name: "phase", Usage: "and the `PHASE` of it"},
				&cli.StringSliceFlag{Name: "step", Usage: "a further step, `ID[=GLOB,...]`; may be given several times"},
			},
			Action: writes(intent),
		},
		statuses: map[string][]status{"intent": {{Code: verdict.Yes, Meaning: "the intent is recorded"}}},
	}
}

// An intentAnswer says what is declared by now.
type intentAnswer struct {
	RunID       string              `json:"run_id"`
	Recorded    bool                `json:"recorded"`
	Seq         uint64              `json:"seq"`
	Round       uint64              `json:"round"` // how many intents it has
	Goal        string              `json:"goal,omitempty"`
	Plan        string              `json:"plan,omitempty"`
	Phase       string              `json:"phase,omitempty"`
	StartSha    string              `json:"start_sha"`
	Declared    []string            `json:"declared"`
	StepRegions map[string][]string `json:"step_regions,omitempty"`
	WasParked   bool                `json:"was_suspended,omitempty"`
	Next        string              `json:"next,omitempty"`
}

func (a intentAnswer) ExitCode() int { return verdict.Yes }

func (a intentAnswer) String() string {
	var b strings.Builder
	what := firstOf(a.Goal, strings.TrimSpace(a.Plan+" "+a.Phase), verdict.Count(len(a.Declared), "step"))
	how := "is"
	if a.WasParked {
		how = "is taken up again, and is"
	}
	fmt.Fprintf(&b, "run %s %s to do: %s\n  start     %s", a.RunID, how, what, a.StartSha)
	for _, s := range a.Declared {
		fmt.Fprintf(&b, "\n  step      %s", s)
		if globs := a.StepRegions[s]; len(globs) > 0 {
			b.WriteString("  " + strings.Join(globs, " "))
		}
	}
	if a.Next != "" {
		b.WriteString("\n  next      " + a.Next)
	}
	return b.String()
}

func intent(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	for _, name := range []string{"goal", "plan", "phase"} {
		if c.IsSet(name) && strings.TrimSpace(c.String(name)) == "" {
			return usagef("--%s is empty", name).hint("say what it is, or leave the flag out")
		}
	}
	steps, regions, err := intentSteps(c.StringSlice("step"))
	if err != nil {
		return err
	}
	return lifeWrite(c, false, func(b *life.Book) error {
		id, err := lifeRun(c, b.Desk)
		if err == nil {
			err = lifeMinted(c, id)
		}
		if err != nil {
			return err
		}
		r, err := b.Adding(c.Context, id)
		if err == nil {
			err = r.Known()
		}
		if err != nil {
			return lifeError(err)
		}
		row := resume.Row{Op: resume.OpIntent, Goal: c.String("goal"), Plan: c.String("plan"), Phase: c.String("phase"), StepRegions: regions}
		if row.DeclaredSteps, err = intentExtends(r.Intent.Declared(), steps, regions); err != nil {
			return err
		}
		if r.Intent.Start() == "" {
			if row.StartSha, err = r.Head(c.Context); err != nil {
				return lifeError(err)
			}
			if row.StartSha == "" {
				return environmentf("there is no commit yet that the run could start from").hint("git commit --allow-empty -m start")
			}
		}
		parked := r.Intent.Suspended()
		seq, err := r.Append(c.Context, row)
		if err != nil {
			return lifeError(err)
		}
		a := intentOf(r.Intent)
		a.Recorded, a.Seq, a.WasParked = true, seq[0], parked
		if r.Live && r.Lease.State == lane.Parked {
			a.Next = unparkCommand(r.Lease.Lane) + " --run-id " + verdict.ShellWord(id)
		}
		return answer(c, a)
	})
}

// intentOf is what a run has declared.
func intentOf(s resume.State) intentAnswer {
	a := intentAnswer{
		RunID: s.Run(), Round: s.Round(), Goal: s.Goal(), Plan: s.Plan(), Phase: s.Phase(), StartSha: s.Start(),
		Declared: s.Declared(), StepRegions: map[string][]string{},
	}
	for _, step := range a.Declared {
		if globs := s.Region(step); len(globs) > 0 {
			a.StepRegions[step] = globs
		}
	}
	return a
}

// intentSteps reads the steps of the flags.
func intentSteps(words []string) (steps []string, regions map[string][]string, err error) {
	for _, w := range words {
		id, globs, bounded := strings.Cut(w, "=")
		switch {
		case strings.TrimSpace(id) == "":
			return nil, nil, usagef("--step %q names no step", w).hint("write it ID or ID=GLOB,GLOB")
		case slices.Contains(steps, id):
			return nil, nil, usagef("--step %s is given twice", id)
		}
		steps = append(steps, id)
		if !bounded {
			continue
		}
		tree, err := lane.CleanTree(strings.Split(globs, ","))
		if err == nil && len(tree) == 0 {
			err = fmt.Errorf("no glob")
		}
		if err != nil {
			return nil, nil, usagef("--step %s: %w", id, err).hint("write it ID=GLOB,GLOB with globs like api/** or docs/guide.md")
		}
		if regions == nil {
			regions = map[string][]string{}
		}
		regions[id] = tree
	}
	return steps, regions, nil
}

// intentExtends is what a run declares from now on: all of it was given, or what was
// given comes on top. nil when nothing was given.
func intentExtends(had, given []string, regions map[string][]string) ([]string, error) {
	again := func(step string) bool { return slices.Contains(had, step) }
	whole := len(given) >= len(had) && slices.Equal(given[:len(had)], had)
	switch {
	case len(given) == 0, len(given) == len(had) && whole:
		return nil, nil
	case whole:
		return given, nil
	case !slices.ContainsFunc(given, again):
		return append(slices.Clone(had), given...), nil
	}
	bounded := ""
	if i := slices.IndexFunc(given, func(step string) bool { return again(step) && regions[step] != nil }); i >= 0 {
		bounded = "the region of step " + given[i] + " stays as it was declared: "
	}
	return nil, usagef("--step: %sthe run declared %s, and may only add to that", bounded, strings.Join(had, ", ")).
		hint("give the further steps alone, or all of them in that order; work that is another is another run's: git dos run-id mint")
}
