package lane

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// What a text lists at most. The JSON has all.
const (
	maxTextRows  = 20
	maxTextNames = 12
)

// A priceTable is rows of a word and what is said under it.
type priceTable struct {
	strings.Builder
	rows, left int
}

func (t *priceTable) row(word, format string, args ...any) {
	if t.rows++; t.rows > maxTextRows {
		t.left++
		return
	}
	fmt.Fprintf(&t.Builder, "  %-8s %s\n", word, fmt.Sprintf(format, args...))
}

func (v PriceVerdict) String() string {
	if v.Action == "" {
		return "no verdict: " + v.Err().Error()
	}
	var t priceTable
	fmt.Fprintf(&t.Builder, "%s %s\n", v.Action, v.Reason)
	if v.Action == HoldEmpty {
		return t.String()
	}
	if v.SafeConcurrency > 0 {
		t.row("now", "%s", priceNameList(v.SafeNow))
	}
	for i, wave := range v.Waves {
		if i > 0 || v.SafeConcurrency == 0 {
			t.row(fmt.Sprintf("wave %d", i+1), "%s", priceNameList(wave))
		}
	}
	for _, b := range v.Blocked {
		t.row("blocked", "%s: %s (%s); %s", verdict.Show(b.Name), b.Reason, b.ReasonClass, AdviceText(b.Advice))
	}
	for _, h := range v.Held {
		t.row("held", "%s: %s; %s", verdict.Show(h.Name), h.Reason, AdviceText(h.Advice))
	}
	if t.left > 0 {
		fmt.Fprintf(&t.Builder, "  and %d more rows, in the JSON\n", t.left)
	}
	t.WriteString("this holds nothing: " + v.still())
	return t.String()
}

// still says what is left to do before anybody writes.
func (v PriceVerdict) still() string {
	shared := 0
	for _, w := range v.Workers {
		if w.Mode == Shared {
			shared++
		}
	}
	switch {
	case v.Lane != "":
		return "one lease of lane " + verdict.Show(v.Lane) + " is for all of them; give each its nonce as GIT_DOS_NONCE, and let none acquire"
	case shared == len(v.Workers):
		return "shared workers only read, and take no lease"
	case shared > 0:
		return "each worker still acquires its lane, but for the shared ones, which only read"
	}
	return "each worker still acquires its lane"
}

func priceNameList(names []string) string {
	words := make([]string, 0, maxTextNames)
	for _, n := range names[:min(len(names), maxTextNames)] {
		words = append(words, verdict.Show(n))
	}
	text := strings.Join(words, " ")
	if more := len(names) - maxTextNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// AdviceText is an advice as something to do.
func AdviceText(advice string) string {
	switch advice {
	case AdviceDeclareScope:
		return "say which files with tree, or with a lane that has one"
	case AdvicePeerDeclareScope:
		return "say first which files those touch that it collides with"
	case AdviceNarrow:
		return "give both only the files of their tasks, or run it later"
	case AdviceRunLater:
		return "run it in a later wave"
	case AdviceWaitForBudget, AdviceWaitForRoom:
		return "run it once one of them has ended"
	case AdviceRaiseBudget:
		return "raise max_concurrent of that class in dos.toml"
	case AdviceNarrowToLane:
		return "name only files of its lane, or another lane"
	case AdviceLeaveProtected:
		return "leave those paths out, or have an operator force it"
	}
	return advice
}
