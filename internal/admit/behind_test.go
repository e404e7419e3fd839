package admit

import (
	"errors"
	"testing"
)

// What is behind the order is shown neither as free nor as held nor as never
// leased: one lane is an error, a list has it among what cannot be read.
func TestLanesBehindTheOrderAreNotShown(t *testing.T) {
	for claim, cut := range map[string]func(t *testing.T, d *Desk, dir string){
		"an admission that has not reached its lane": func(t *testing.T, _ *Desk, dir string) {
			_, inOrder := halfGrant(t, "alice")
			appendTo(t, dir, inOrder)
		},
		"the end that a force has made of a lease": func(t *testing.T, d *Desk, dir string) {
			acquire(t, d, "api", "alice")
			tip := gitIn(t, dir, "rev-parse", apiRef)
			req := ask("all", "carol")
			req.Force, req.Operator = true, "oncall"
			if _, err := d.Acquire(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			gitIn(t, dir, "update-ref", apiRef, tip)
		},
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			dir := localRepo(t)
			d := open(t, dir)
			cut(t, d, dir)
			_, _, err := d.Lease(t.Context(), "api", false)
			if !errors.Is(err, errBehind) {
				t.Errorf("shown: %v", err)
			}
			reading, err := d.Leases(t.Context(), false)
			if err != nil || len(reading.Unread) != 1 || reading.Unread[0].Chain != "api" {
				t.Errorf("listed %+v, %v", reading, err)
			}
			for _, r := range reading.Lanes {
				if r.Lane == "api" {
					t.Errorf("listed as %+v", r)
				}
			}
		})
	}
}

// An admission that ends while a reader looks is shown as it ended.
func TestAReaderWaitsForAnAdmissionToEnd(t *testing.T) {
	dir := localRepo(t)
	onLane, inOrder := halfGrant(t, "alice")
	appendTo(t, dir, inOrder)
	for claim, look := range map[string]func(d *Desk) (nonce string, err error){
		"one lane": func(d *Desk) (string, error) {
			r, _, err := d.Lease(t.Context(), "api", false)
			if r == nil {
				return "", err
			}
			return r.Nonce, err
		},
		"all lanes": func(d *Desk) (string, error) {
			reading, err := d.Leases(t.Context(), false)
			if len(reading.Lanes) != 1 {
				return "", err
			}
			return reading.Lanes[0].Nonce, err
		},
	} {
		d := open(t, dir)
		s := &slow{Authority: d.auth}
		s.onRead = func(int) {
			s.onRead = nil
			appendTo(t, dir, onLane)
		}
		d.auth = s
		if nonce, err := look(d); err != nil || nonce != "dead" {
			t.Errorf("%s: %q, %v", claim, nonce, err)
		}
		gitIn(t, dir, "update-ref", "-d", apiRef)
	}
}
