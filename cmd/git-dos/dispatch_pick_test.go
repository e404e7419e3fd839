package main

import "testing"

func TestAUnitThatACommandWouldMisreadIsNotHandedToOne(t *testing.T) {
	for unit, fit := range map[string]bool{
		"SHOP/API1": true, "docs/82_plan/live ness": true, "--force/API1": false, "-x": false, "SHOP/\x1b[31m": false, "": false, "SHOP/A\u202eB": false,
	} {
		if why := unfit(unit); (why == "") != fit {
			t.Errorf("%q: %q", unit, why)
		}
	}
}
