package hooks

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
)

func gateOf(found []Finding, err error) Gate {
	return Gate{FileAdmission, func(context.Context, Push, History) ([]Finding, error) { return found, err }}
}

func TestAGatesModeDecidesWhatItsFindingsDo(t *testing.T) {
	wrong := []Finding{{Reason: "too large"}}
	broken := errors.New("blob cannot be read")
	crash := Gate{FileAdmission, func(context.Context, Push, History) ([]Finding, error) { panic("index out of range") }}
	admits := []Override{{FileAdmission, "fixture"}}
	tests := []struct {
		claim     string
		gate      Gate
		mode      policy.GateMode
		overrides []Override
		outcome   string
		reason    string
	}{
		{"nothing found is clean", gateOf(nil, nil), policy.GateBlock, nil, Clean, ""},
		{"a finding refuses", gateOf(wrong, nil), policy.GateBlock, nil, Refused, "too large"},
		{"a finding only warns in mode warn", gateOf(wrong, nil), policy.GateWarn, nil, Warned, "too large"},
		{"a gate that is off is not asked", crash, policy.GateOff, nil, Off, ""},
		{"an override lets a finding through", gateOf(wrong, nil), policy.GateBlock, admits, Overridden, "too large"},
		{"one of another token does not", gateOf(wrong, nil), policy.GateBlock, []Override{{OffTrunk, "x"}}, Refused, "too large"},
		{"what cannot be read refuses", gateOf(wrong, broken), policy.GateBlock, nil, Refused, "FILE_ADMISSION: blob cannot be read"},
		{"in mode warn too", gateOf(nil, broken), policy.GateWarn, nil, Refused, "FILE_ADMISSION: blob cannot be read"},
		{"the token of the gate does not let it through", gateOf(nil, broken), policy.GateBlock, admits, Refused, "FILE_ADMISSION: blob cannot be read"},
		{"its own token does", gateOf(nil, broken), policy.GateBlock, []Override{{CannotJudge, "x"}}, Overridden, "FILE_ADMISSION: blob cannot be read"},
		{"a crash refuses", crash, policy.GateBlock, nil, Refused, "FILE_ADMISSION: the gate crashed: index out of range"},
		{"a crash refuses in mode warn", crash, policy.GateWarn, nil, Refused, "FILE_ADMISSION: the gate crashed: index out of range"},
	}
	for _, tt := range tests {
		r := Judge(context.Background(), Push{}, nil, []Armed{{tt.gate, tt.mode}}, tt.overrides)[0]
		reason := ""
		if len(r.Findings) > 0 {
			reason = r.Findings[0].Reason
		}
		if r.Outcome != tt.outcome || reason != tt.reason {
			t.Errorf("%s: %s, %q; want %s, %q", tt.claim, r.Outcome, reason, tt.outcome, tt.reason)
		}
	}
}

func TestManyFindingsAreCountedAndSomeKept(t *testing.T) {
	r := Judge(context.Background(), Push{}, nil, []Armed{{gateOf(make([]Finding, MaxFindings+7), nil), policy.GateBlock}}, nil)[0]
	if r.Found != MaxFindings+7 || len(r.Findings) != MaxFindings || r.Findings[0].Token != FileAdmission {
		t.Errorf("%d found, %d kept", r.Found, len(r.Findings))
	}
}

func TestAnOverrideThatIsNotRecordedDoesNotCount(t *testing.T) {
	overrides := []Override{{FileAdmission, "fixture"}, {OffTrunk, "x"}}
	results := Judge(context.Background(), Push{}, nil, []Armed{{gateOf(make([]Finding, 1), nil), policy.GateBlock}}, overrides)
	if used := Used(results, overrides); !reflect.DeepEqual(used, overrides[:1]) {
		t.Errorf("used are %v", used)
	}
	if got := Withdraw(results)[0].Outcome; got != Refused || results[0].Outcome != Overridden {
		t.Errorf("withdrawn: %s, before: %s", got, results[0].Outcome)
	}
}

func TestOverridesAreReadStrictly(t *testing.T) {
	tests := []struct {
		text string
		want []Override
	}{
		{"", nil},
		{" OFF_TRUNK : a release ", []Override{{OffTrunk, "a release"}}},
		{"OFF_TRUNK: a; SECRET_SHAPE: b", []Override{{OffTrunk, "a"}, {SecretShape, "b"}}},
		{"OFF_TRUNK: a\n\nSECRET_SHAPE: b\n", []Override{{OffTrunk, "a"}, {SecretShape, "b"}}},
		{"OFF_TRUNK: one thing; another: a third", []Override{{OffTrunk, "one thing; another: a third"}}},
	}
	for _, tt := range tests {
		if got, err := ParseOverrides(tt.text); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
	for text, want := range map[string]string{
		"OFF_TRUNK":                 "OFF_TRUNK has no reason",
		"OFF_TRUNK: ":               "OFF_TRUNK has no reason",
		"off_trunk: x":              `"off_trunk" is no token`,
		"ALL: x":                    `"ALL" is no token`,
		"OFF_TRUNK: a; ALL: b":      `"ALL" is no token`,
		"OFF_TRUNK: a; OFF_TRUNK:b": "stands twice",
		"OFF_TRUNK: " + strings.Repeat("x", maxOverride): "longer than",
	} {
		if got, err := ParseOverrides(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

// A token is named in dos.toml by its own word.
func TestEveryGateHasAMode(t *testing.T) {
	modes := policy.Default().Gates.Modes
	for _, token := range Tokens[:len(Tokens)-1] {
		if _, ok := modes[token.Name()]; !ok {
			t.Errorf("dos.toml knows no gate %s", token.Name())
		}
	}
	if len(modes) != len(Tokens)-1 {
		t.Errorf("%d gates in dos.toml, %d tokens", len(modes), len(Tokens)-1)
	}
}
