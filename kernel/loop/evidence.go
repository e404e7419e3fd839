package loop

import (
	"errors"
	"fmt"
	"slices"
)

// Evidence is everything Decide may know.
type Evidence struct {
	State     State
	Iteration Iteration
}

// check reports the first field for which the evidence cannot be judged.
func (ev Evidence) check() error {
	s := ev.State
	for _, n := range s.Counters.numbers() {
		if *n.value < 0 {
			return fmt.Errorf("%s is negative: %d", n.name, *n.value)
		}
	}
	if s.Iteration < 1 {
		return fmt.Errorf("iteration is less than 1: %d", s.Iteration)
	}
	for _, n := range s.Policy.numbers() {
		if *n.value < 1 {
			return fmt.Errorf("%s is less than 1: %d", n.name, *n.value)
		}
	}
	if s.GateMode == "" {
		return errors.New("gate_mode is empty")
	}
	if err := first(oneOf("gate_mode", s.GateMode, Hard, Soft, Drive), s.Signals.check()); err != nil {
		return err
	}
	return ev.Iteration.check()
}

// oneOf refuses a word that is there and is none of its list.
func oneOf[Word ~string](name string, w Word, list ...Word) error {
	if w == "" || slices.Contains(list, w) {
		return nil
	}
	return fmt.Errorf("%s is %.80q, which is none of %q", name, string(w), list)
}

// first is the first of these errors that is one.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
