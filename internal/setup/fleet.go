package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/policy"
)

// remoteFormat makes the remote the authority of this repository's fleet.
func (w *work) remoteFormat(ctx context.Context) error {
	if w.Remote == "" {
		return nil
	}
	if w.DryRun {
		return w.remoteDryRun(ctx)
	}
	fleet, wrote, err := w.desk.InitRemote(ctx, w.Remote, w.prefix, w.trunk.Branch, w.choice(ctx))
	var other *otherPrefix
	if errors.As(err, &other) { // the trunk that was fetched on the way says so
		w.prefix = other.prefix
		fleet, wrote, err = w.desk.InitRemote(ctx, w.Remote, w.prefix, w.trunk.Branch, w.choice(ctx))
	}
	if err != nil {
		return err
	}
	w.report.Fleet, w.report.Joined = fleet, !wrote
	s := Step{Step: "remote_format", Target: w.formatName(), State: Already, Detail: "belongs to fleet " + fleet}
	if wrote {
		s.State, s.Detail = Done, "create it for fleet "+fleet
	}
	w.report.add(s)
	return nil
}

// remoteDryRun tells what remoteFormat would do, from a look at the remote
// that fetches nothing.
func (w *work) remoteDryRun(ctx context.Context) error {
	seen, err := w.desk.PeekRemote(ctx, w.Remote, w.prefix)
	if err != nil {
		return err
	}
	fleet, err := w.choice(ctx)(seen.Meta)
	if err != nil {
		return err
	}
	s := Step{Step: "remote_format", Target: w.formatName(), State: Would, Detail: "create it for fleet " + fleet}
	switch {
	case seen.Meta != nil && seen.Meta.Fleet != "" && seen.Meta.Fleet != fleet:
		return admit.WrongFleet(w.Remote, seen.Meta.Fleet, fleet)
	case seen.Meta != nil && seen.Meta.Fleet == fleet:
		s.State, s.Detail = Already, "belongs to fleet "+fleet
		w.report.Joined = true
	case seen.Present && fleet == w.minted:
		s.Detail = "join the fleet that it names"
		fleet = ""
	case seen.Present && seen.Meta == nil:
		s.Detail = "compare the fleet that it names with " + fleet
	case fleet == w.minted:
		s.Detail = "create it for a new fleet"
		fleet = ""
	}
	w.report.Fleet = fleet
	w.report.add(s)
	return nil
}

func (w *work) formatName() string { return w.Remote + " " + w.prefix + "/meta/format" }

// otherPrefix stops a choice that was about to look in the wrong place.
type otherPrefix struct{ prefix string }

func (e *otherPrefix) Error() string { return "the fleet's refs are at " + e.prefix }

// choice names the fleet: dos.toml's, here or on the trunk; else the one the
// remote belongs to already; else a new one. It also makes sure, before
// anything is written, that dos.toml can hold it.
func (w *work) choice(ctx context.Context) admit.Choice {
	return func(there *admit.Meta) (string, error) {
		w.appendix = nil
		if err := w.readTrunk(ctx); err != nil {
			return "", err
		}
		prefix, err := w.fleetPrefix()
		if err != nil {
			return "", err
		}
		if prefix != w.prefix {
			return "", &otherPrefix{prefix}
		}
		fleet, err := w.statedFleet()
		if err != nil {
			return "", err
		}
		if fleet == "" {
			fleet = w.unstatedFleet(there)
			return fleet, w.prepareAppendix(fleet)
		}
		return fleet, nil
	}
}

// statedFleet is the id that dos.toml has, here or on the trunk.
func (w *work) statedFleet() (string, error) {
	here, trunk := w.own.Fleet.ID, ""
	if w.onTrunk != nil {
		trunk = w.onTrunk.Fleet.ID
	}
	switch {
	case here != "" && trunk != "" && here != trunk:
		return "", problemf("take the trunk's dos.toml, or name the remote of the fleet that yours names",
			"trunk %s %w: its dos.toml says %q, the one here %q", w.trunkName(), admit.ErrWrongFleet, trunk, here)
	case here != "":
		return here, nil
	case trunk == "" && w.onTrunk != nil && !w.policy.exists:
		return "", problemf("git merge "+w.trunkName()+", then run it again",
			"trunk %s has a dos.toml without a fleet id, and there is none here to add it to", w.trunkName())
	}
	return trunk, nil
}

func (w *work) unstatedFleet(there *admit.Meta) string {
	if there != nil && there.Fleet != "" {
		return there.Fleet
	}
	if w.minted == "" {
		w.minted = "fleet-" + admit.NewNonce()[:12]
	}
	return w.minted
}

// prepareAppendix makes the [fleet] table for dos.toml and tries it out, and
// before it the [trunk] table for one that states no trunk and can take it.
func (w *work) prepareAppendix(fleet string) error {
	table := policy.TemplateFleet(fleet, w.prefix)
	w.appendix = append(policy.TemplateTrunk(w.stated), table...)
	w.addTrunk = w.stated != "" && w.policy.exists && !w.own.Stated("trunk.ref") && w.appendixFits(fleet)
	if w.addTrunk {
		return nil
	}
	if w.appendix = table; w.appendixFits(fleet) {
		return nil
	}
	if alone, err := policy.Parse(table); err != nil || alone.Fleet.ID != fleet {
		return problemf("an operator has to look at it", "remote %s names its fleet %q, which is no legal id", w.Remote, fleet)
	}
	return problemf(fmt.Sprintf("add these to it and run it again: id = %q and prefix = %q", fleet, w.prefix),
		"%s has a [fleet] table without an id, which cannot be appended to", w.policy.path)
}

// appendixFits reports whether dos.toml with the appendix says what it should.
func (w *work) appendixFits(fleet string) bool {
	base := w.policy.data
	if !w.policy.exists {
		base = policy.Template(w.stated, w.division.lanes)
	}
	p, err := policy.Parse(append(bytes.Clone(base), appended(base, w.appendix)...))
	return err == nil && p.Fleet.ID == fleet && p.Fleet.Prefix == w.prefix
}

// trunkName is the trunk as git merge takes it.
func (w *work) trunkName() string { return strings.TrimPrefix(w.trunk.Ref, "refs/remotes/") }
