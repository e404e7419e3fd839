package policy

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// FuzzParse holds Parse to its contract on any input: no panic, an error with
// problems or a policy fit to judge by, and never more lenient than TOML.
func FuzzParse(f *testing.F) {
	for _, file := range definitions {
		f.Add([]byte(file))
	}
	for _, k := range allKeys() {
		f.Add([]byte(document(k.path, samples[k.path].value)))
	}
	older, err := os.ReadFile("testdata/older-kernel.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(older)
	f.Add(Template("main", nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data)
		if err != nil {
			usableErrors(t, err)
			return
		}
		usablePolicy(t, p)
		var v map[string]any
		text := strings.TrimPrefix(string(data), "\xef\xbb\xbf")
		// The values of ignored keys are not looked at, dates among them.
		if err := toml.Unmarshal([]byte(text), &v); err != nil && len(p.Ignored) == 0 {
			t.Errorf("accepted what TOML does not: %v", err)
		}
	})
}

func usableErrors(t *testing.T, err error) {
	t.Helper()
	var errs Errors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("error of type %T", err)
	}
	for _, e := range errs {
		if e.Message == "" || e.Line < 0 || e.Column < 0 || strings.ContainsAny(e.Error(), "\n\r\x1b") {
			t.Errorf("unusable problem %+v", e)
		}
	}
}

func usablePolicy(t *testing.T, p Policy) {
	t.Helper()
	if p.Lease.TTL < 2*p.Lease.Margin || p.Lease.Margin <= 0 {
		t.Errorf("lease %+v", p.Lease)
	}
	if !(p.Overlap.RatioMax >= 0 && p.Overlap.RatioMax <= 1.0/3) || p.Overlap.Policy == "" {
		t.Errorf("overlap %+v", p.Overlap)
	}
	if len(p.Gates.Modes) != len(gateDefaults) || p.Lanes.Trees == nil || p.Lanes.Aliases == nil {
		t.Errorf("incomplete policy %+v", p)
	}
	spelled := map[string]string{}
	for _, name := range p.Roster() {
		if err := CheckLaneName(name); err != nil || spelled[fold(name)] != "" {
			t.Errorf("roster holds %q: %v", name, err)
		}
		spelled[fold(name)] = name
	}
	for _, name := range p.Lanes.Autopick {
		if p.Exclusive(name) {
			t.Errorf("autopick holds exclusive %q", name)
		}
	}
}
