package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/leak"
	"github.com/git-dos/git-dos/kernel/policy"
)

// hookGates says which gates each hook asks, in the order in which they speak.
var hookGates = map[string][]hooks.Token{
	hooks.PrePush: {
		hooks.LeaseFence, hooks.ScopeEscape, hooks.OffTrunk, hooks.FileAdmission, hooks.SecretShape, hooks.PublicLeak,
		hooks.FreshDeletion, hooks.BrokenLink, hooks.CommitMessage, hooks.ClaimUnwitnessed, hooks.Ungated, hooks.WouldNotCompile,
	},
	hooks.PreCommit:   {hooks.ScopeEscape, hooks.FileAdmission, hooks.SecretShape, hooks.PublicLeak, hooks.BrokenLink},
	hooks.CommitMsg:   {hooks.CommitMessage, hooks.FreshDeletion, hooks.SecretShape, hooks.PublicLeak},
	hooks.Transaction: {hooks.OffTrunk},
	hooks.PreReceive:  receiveAsked,
	hooks.UpdateHook:  receiveAsked,
}

// hookGateMakers make the gates, each with the evidence that it asks for.
var hookGateMakers = sync.OnceValue(func() map[hooks.Token]func(*hookAsk) (hooks.Gate, error) {
	return map[hooks.Token]func(*hookAsk) (hooks.Gate, error){
		hooks.LeaseFence:       func(a *hookAsk) (hooks.Gate, error) { return hooks.LeaseFenceGate(a.hookSite()), nil },
		hooks.ScopeEscape:      func(a *hookAsk) (hooks.Gate, error) { return hooks.ScopeEscapeGate(a.hookLeash()), nil },
		hooks.ClaimUnwitnessed: (*hookAsk).hookClaims,
		hooks.WouldNotCompile:  func(a *hookAsk) (hooks.Gate, error) { return hooks.WouldNotCompileGate(a.hookSite()), nil },
		hooks.FreshDeletion:    func(a *hookAsk) (hooks.Gate, error) { return hooks.FreshDeletionGate(a.hookSite()), nil },
		hooks.BrokenLink:       func(a *hookAsk) (hooks.Gate, error) { return hooks.BrokenLinkGate(a.hookSite()), nil },
		hooks.FileAdmission: func(a *hookAsk) (hooks.Gate, error) {
			return hooks.FileAdmissionGate(a.rules.Policy.Gates.MaxBytes), nil
		},
		hooks.CommitMessage: func(a *hookAsk) (hooks.Gate, error) {
			return hooks.CommitMsgGate(slices.Sorted(maps.Keys(a.rules.Policy.Plans))), nil
		},
		hooks.SecretShape: func(a *hookAsk) (hooks.Gate, error) { return a.leaks(0) },
		hooks.PublicLeak:  func(a *hookAsk) (hooks.Gate, error) { return a.leaks(1) },
		hooks.Ungated: func(a *hookAsk) (hooks.Gate, error) {
			return hooks.UngatedGate(a.past), nil // read since the policy was
		},
		hooks.OffTrunk: func(a *hookAsk) (hooks.Gate, error) {
			return hooks.OffTrunkGate(func(ctx context.Context, ref string) (bool, error) {
				id, err := a.repo.RefID(ctx, ref)
				return id != "", err
			}), nil
		},
	}
})

// gates are those of the hook that is asked, each in the mode of the policy. A
// gate that is off is not made.
func (a *hookAsk) gates() ([]hooks.Armed, error) {
	var armed []hooks.Armed
	for _, token := range hookGates[a.push.Hook] {
		maker, ok := hookGateMakers()[token]
		if !ok {
			continue
		}
		g := hooks.Armed{Gate: hooks.Gate{Token: token}, Mode: a.rules.Policy.Gates.Mode(token.Name())}
		if g.Mode != policy.GateOff {
			made, err := maker(a)
			if err != nil {
				return nil, err
			}
			g.Gate = made
		}
		armed = append(armed, g)
	}
	return armed, nil
}

// leaks are the two gates that go by one scan.
func (a *hookAsk) leaks(which int) (hooks.Gate, error) {
	if a.leakGates == nil {
		s, err := leak.NewScanner(a.rules.Policy.Gates.SecretAllow)
		if err != nil {
			return hooks.Gate{}, fmt.Errorf("dos.toml on the trunk: gates.secret_shape.%w", err)
		}
		secret, public := hooks.LeakGates(s)
		a.leakGates, a.scanned = []hooks.Gate{secret, public}, make(chan struct{})
		go func() { // while other gates judge
			defer close(a.scanned)
			defer func() { _ = recover() }() // whoever asks next is told
			_, _ = secret.Judge(a.c.Context, a.push, a.history)
		}()
	}
	return a.leakGates[which], nil
}
