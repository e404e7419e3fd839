package resume

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Next makes a row fit to be appended to this state: it fills in version, run
// and round, and reports why the row must not be written. What a reader would
// later hold against the run is refused here.
func (s State) Next(r Row) (Row, error) {
	r.V, r.RunID, r.Round = Version, s.run, s.intent
	if r.Op == OpIntent {
		r.Round++
	}
	if err := s.mayAppend(r); err != nil {
		return Row{}, err
	}
	return r, nil
}

func (s State) mayAppend(r Row) error {
	switch {
	case s.run == "":
		return errors.New("run_id is empty")
	case !slices.Contains(ops, r.Op):
		return fmt.Errorf("op %.40q is none of a run's ledger", r.Op)
	case s.newer > 0:
		return fmt.Errorf("the ledger of run %s has rows of a newer version: use the git-dos that wrote them", s.run)
	case s.Unreadable():
		return fmt.Errorf("the ledger of run %s cannot be read or contradicts itself: go on under a new run id", s.run)
	case r.Op != OpIntent && !s.HasIntent():
		return fmt.Errorf("run %s has no intent: declare one first", s.run)
	}
	if err := errors.Join(r.check(), r.checkText()); err != nil {
		return err
	}
	switch r.Op {
	case OpIntent:
		return s.mayIntend(r)
	case OpStepClaimed, OpStepVerified:
		return s.mayName(r)
	}
	return nil
}

// mayIntend holds an INTENT against the ones before: it may say more and take
// nothing back.
func (s State) mayIntend(r Row) error {
	if len(r.DeclaredSteps) > 0 && !extends(s.declared, r.DeclaredSteps) {
		return fmt.Errorf("declared_steps must begin with the %d that are declared and may only add to them", len(s.declared))
	}
	if r.StartSha != "" && !isFullSha(r.StartSha) {
		return errors.New("start_sha is no full commit id")
	}
	if old := s.start.value; old != "" && r.StartSha != "" && r.StartSha != old {
		return fmt.Errorf("start_sha of the run is %s, and a run starts once", old)
	}
	after := s.clone()
	after.Add("", r)
	switch {
	case after.contradicted:
		return errors.New("step_regions gives a step another region than it has")
	case !after.HasIntent():
		return errors.New("an intent needs a goal, a plan or declared_steps")
	}
	for step := range r.StepRegions {
		if !slices.Contains(after.declared, step) {
			return fmt.Errorf("step_regions names the step %.80q, which is not declared", step)
		}
	}
	return nil
}

// mayName holds a row about a step against the declaration.
func (s State) mayName(r Row) error {
	switch {
	case !slices.Contains(s.declared, r.StepID):
		return fmt.Errorf("step_id %.80q is not among the declared steps of run %s", r.StepID, s.run)
	case !isFullSha(r.Sha):
		return errors.New("sha is no full commit id")
	}
	return nil
}

// checkText refuses what could not be shown as it is.
func (r Row) checkText() error {
	texts := append([]string{r.RunID, r.Goal, r.Plan, r.Phase, r.StepID, r.Via, r.Reason, r.ResumeSha, r.PredecessorRunID, r.TranscriptDigest}, r.DeclaredSteps...)
	texts = append(texts, r.Residual...)
	for _, globs := range r.StepRegions {
		texts = append(texts, globs...)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%.40q holds a control character or is not UTF-8", text)
		}
	}
	for _, id := range append([]string{r.StepID}, r.DeclaredSteps...) {
		if strings.TrimSpace(id) != id {
			return fmt.Errorf("step %.40q begins or ends with a blank", id)
		}
	}
	return nil
}

// clone is a copy that shares nothing with the state.
func (s State) clone() State {
	c := New(s.run)
	c.Merge(s)
	return c
}
