package verdict

import "testing"

func TestAnAnswerWithoutAnOutcomeSaysWhy(t *testing.T) {
	type outcome string
	for _, tt := range []struct {
		outcome outcome
		reason  string
		want    string
	}{
		{"LIVE", "it beats", ""},
		{"", "no beat can be read", "no beat can be read"},
		{"", "", "nothing was decided"},
	} {
		got := ""
		if err := Err(tt.outcome, tt.reason); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("Err(%q, %q) is %q, want %q", tt.outcome, tt.reason, got, tt.want)
		}
	}
}
