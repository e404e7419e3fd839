package main

import "testing"

func TestCountersThatCannotBeReadAreNoNewOnes(t *testing.T) {
	const good = `{"next_state":{"iteration":3},"mode":"replan","progress":{"verified":2,"baseline":1,"reverts":1}}`
	if c, err := carriedIn(good); err != nil || c.Next.Iteration != 3 || c.Mode != "replan" || c.Progress.Verified != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	for _, text := range []string{
		``, `null`, `{}`, `[]`, good + good, good[:20],
		`{"next_state":{"iteration":0},"mode":"dispatch","progress":{}}`,
		`{"next_state":{"iteration":1},"mode":"rest","progress":{}}`,
		`{"next_state":{"iteration":1},"mode":"dispatch","progress":{"verified":-1}}`,
		`{"next_state":{"iteration":1,"more":1},"mode":"dispatch","progress":{}}`,
		`{"next_state":{"iteration":1e9999},"mode":"dispatch","progress":{}}`,
	} {
		if c, err := carriedIn(text); err == nil {
			t.Errorf("%q: %+v", text, c)
		}
	}
}
