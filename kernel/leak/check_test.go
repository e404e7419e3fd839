package leak

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func TestCheck(t *testing.T) {
	address := split("at 10.20|.30.44\n")
	print := scan(t, scanner(t), address)[0].Fingerprint
	many := strings.Repeat(address, maxHits+1)
	for _, tt := range []struct {
		claim, path, text string
		allow             []string
		code, hits, let   int
	}{
		{"nothing is clean", "", "", nil, verdict.Yes, 0, 0},
		{"prose is held to the rules for prose", "", "in /srv/x/y", nil, 3, 1, 0},
		{"what code may have as well", "a.md", address, nil, 3, 1, 0},
		{"a fingerprint lets through and is counted", "a.md", address + address, []string{print}, verdict.Yes, 0, 2},
		{"and nothing else", "", address + split("at 10.20|.30.45"), []string{print}, 3, 1, 1},
		{"so many that they are let through are none", "", many, []string{print}, verdict.Yes, 0, maxHits + 1},
		{"too many to list are leaks", "", many, nil, 3, 0, 0},
		{"a glob lets the file through", "docs/a.md", many, []string{"docs/**"}, verdict.Yes, 0, 0},
		{"a lock file is read", "go.sum", address, nil, 3, 1, 0},
	} {
		v, err := scanner(t, tt.allow...).Check(tt.path, []byte(tt.text))
		if err != nil || v.ExitCode() != tt.code || len(v.Hits) != tt.hits || v.Allowed != tt.let || v.Hits == nil {
			t.Errorf("%s: %d, %d hits, %d let through, %v", tt.claim, v.ExitCode(), len(v.Hits), v.Allowed, err)
		}
	}
	if v, err := scanner(t).Check("", bytes.Repeat([]byte(everyWord(t)+"\n"), 400)); !errors.Is(err, ErrCostly) || v.ExitCode() != verdict.NoVerdict {
		t.Errorf("what is not judged: %+v, %v", v, err)
	}
}

func TestTextForPeopleIsBounded(t *testing.T) {
	v, err := scanner(t).Check("", []byte(strings.Repeat(split("at 10.20|.30.44\n"), mostShown+3)))
	if err != nil || !strings.HasSuffix(v.String(), "\n  and 3 more\n") || strings.Contains(v.String(), split("10.20|.30.44")) {
		t.Errorf("%v, %s", err, v)
	}
}
