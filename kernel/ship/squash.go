package ship

import (
	"bytes"
	"strings"
)

// takenBack reports whether the body of a commit that names the unit says that
// the same commit takes it back again, as the message of a squashed branch
// does that held the work and its revert. Each line that stamps the unit and
// each revert of such a revert counts for it, each revert of such a line
// against it; without a line of its own the subject is the one stamp.
func (q Query) takenBack(body []byte) bool {
	if len(body) == 0 {
		return false
	}
	stamps, balance, reverts := 0, 0, 0
	for line := range strings.Lines(Fold(string(body))) {
		text, depth := quoted(strings.TrimLeft(strings.TrimSpace(line), bullets))
		if len(text) > maxSubject || !(q.direct(text) || q.stamp.TrailerStamp && q.parens(text)) {
			continue
		}
		switch {
		case depth == 0:
			stamps++
		case depth%2 == 0:
			balance++
		default:
			balance--
			reverts++
		}
	}
	return reverts > 0 && max(stamps, 1)+balance <= 0
}

// quoted takes git's revert and reapply titles off a folded title and counts
// how often it is taken back: odd is undone, even done again.
func quoted(text string) (title string, depth int) {
	for {
		rest, ok := strings.CutPrefix(text, `revert "`)
		if ok {
			depth++
		} else if rest, ok = strings.CutPrefix(text, `reapply "`); ok {
			depth += 2
		} else {
			return text, depth
		}
		text = strings.TrimSuffix(rest, `"`)
	}
}

// MayTakeBack is a quick test of a raw message: false means that it holds no
// line that takes a title back.
func MayTakeBack(message []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(message[at:], '"')
		if i < 0 {
			return false
		}
		at += i
		for _, verb := range []string{"revert ", "reapply "} {
			if from := at - len(verb); from >= 0 && strings.EqualFold(string(message[from:at]), verb) {
				return true
			}
		}
	}
}
