package hooks

import (
	"strings"
	"testing"
)

func TestMessagesThatDoNotSayWhatTheySeemTo(t *testing.T) {
	tests := []struct {
		message  string
		trailers []Trailer
		want     string
	}{
		{"auth: log out\n", nil, ""},
		{"auth: log out\n\nbody: of the text\n", nil, ""},
		{"", nil, "the message has no subject"},
		{"\n \n", nil, "the message has no subject"},
		{"auth: log\nout\n", nil, "the subject runs on into the second line"},
		{"log out\n\nDos-Ship: AUTH/AUTH2\n", []Trailer{{"Dos-Ship", "AUTH/AUTH2"}}, ""},
		{"log out\n\ndos-ship: AUTH AUTH2\n", []Trailer{{"dos-ship", "AUTH AUTH2"}}, `Dos-Ship: "AUTH AUTH2" names no unit`},
		{"log out\n\nDos-Ship: AUTH/AUTH2\n\nmore text\n", nil, `"Dos-Ship: AUTH/AUTH2" is no trailer where it stands`},
		{"log out\n\nDos-Ship: A/1\n\nDos-Ship: A/2\n", []Trailer{{"Dos-Ship", "A/2"}}, `"Dos-Ship: A/1" is no trailer where it stands`},
		{"log out\n\nDos-Lease: api@3\n\nmore text\n", nil, `"Dos-Lease: api@3" is no trailer where it stands`},
		{"AUTH: AUTH2 log out\n", nil, ""},
		{"AUTH:AUTH2 log out\n", nil, `"AUTH:AUTH2 log out" names no unit`},
		{"auth/AUTH2 log out\n", nil, `"auth/AUTH2 log out" names no unit`},
		{"AUTHOR: x\n", nil, ""},
		{"feat:x\n", nil, ""},
		{"Merge branch 'x'\nof y\n", nil, ""},
		{"Revert \"AUTH:AUTH2\"\n", nil, ""},
		{"fixup! AUTH:AUTH2\n", nil, ""},
	}
	for _, tt := range tests {
		subject, _, _ := strings.Cut(tt.message, "\n")
		h := given{commits: []Commit{{ID: idA, Subject: subject, Message: tt.message, Trailers: tt.trailers}}}
		if got := reasons(t, CommitMsgGate([]string{"AUTH"}), Push{}, h); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.message, got, tt.want)
		}
	}
	h := given{commits: []Commit{{ID: idA, Parents: []string{idA, idB}}}}
	if got := reasons(t, CommitMsgGate(nil), Push{}, h); got != "" {
		t.Errorf("a merge: %q", got)
	}
}
