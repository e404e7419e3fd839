package closes

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// read takes the first line for the subject.
func read(message string) References {
	subject, _, _ := strings.Cut(message, "\n")
	return Read(subject, []byte(message))
}

// seen renders references as "closing | mentioned".
func seen(message string) string {
	r := read(message)
	return strings.TrimSpace(strings.Trim(fmt.Sprint(r.Closing), "[]") + " | " + strings.Trim(fmt.Sprint(r.Mentioned), "[]"))
}

func TestAVerbBeforeANumberCloses(t *testing.T) {
	for _, verb := range []string{"close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"} {
		for _, form := range []string{"%s #7", "%s: #7", "%s issue #7", "%s issues #7", "x\n\n%s #7", "x\n\n%s: #7\n", "add x, %s #7.", "add x (%s #7)", "add x; %s #7", "it\n%s #7", "- a\n- %s #7"} {
			for _, v := range []string{verb, strings.ToUpper(verb), strings.ToUpper(verb[:1]) + verb[1:]} {
				if got := seen(fmt.Sprintf(form, v)); got != "7 |" {
					t.Errorf("%q: %q", fmt.Sprintf(form, v), got)
				}
			}
		}
	}
}

func TestReferences(t *testing.T) {
	for _, c := range []struct{ claim, message, want string }{
		{"a bare number in a subject is a mention", "add login (#7)", "| 7"},
		{"and in a body", "x\n\nsee #7", "| 7"},
		{"and after the word issue", "see issue #7", "| 7"},
		{"a verb needs its number next to it", "fixes the crash of #7", "| 7"},
		{"a noun with a number in brackets is no verb", "typo fix (#7)", "| 7"},
		{"a list closes all its numbers", "Fixes #1, #2 and #3", "1 2 3 |"},
		{"with an ampersand too", "closes #1 & issue #2", "1 2 |"},
		{"a list ends where it is interrupted", "fixes #1, see #2 and #3", "1 | 2 3"},
		{"two verbs close two", "fix #1, closes #2", "1 2 |"},
		{"each is named once", "fixes #2, fixes #1\n\nFixes: #2", "1 2 |"},
		{"what is closed is no mention besides", "fixes #1 (#1)", "1 |"},
		{"a trailer closes", "add x\n\nFixes: #7\nSigned-off-by: w <w@example.com>", "7 |"},
		{"also a wrapped one", "add x and thereby fixes\n#7", "7 |"},
		{"carriage returns change nothing", "x\r\n\r\nfixes #7\r\n", "7 |"},

		{"another repository's issue is not ours", "fixes owner/repo#7", "|"},
		{"nor one with a host", "fixes https://example.com/o/r/issues/7#8", "|"},
		{"nor one behind a path", "see owner/#7", "|"},
		{"a character reference is no issue", "fixes &#39;", "|"},
		{"zero is none", "fixes #0", "|"},
		{"nor a number with a zero before it", "fixes #07", "|"},
		{"nor one beyond the largest", "fixes #2147483648 #99999999999999999999", "|"},
		{"the largest is one", "fixes #2147483647", "2147483647 |"},
		{"a longer token is no number", "fixes #12ab, fixes #12-rc, fixes #12.5, fixes #12_", "|"},
		{"the end of a sentence is not part of it", "fixes #12. Fixes #13, really", "12 13 |"},
		{"letters beyond ASCII are letters", "fixes #7é", "|"},
		{"a verb inside a word is none", "suffix #7, prefixes #8, hot-fix #9, unfixed #6, éfix #5", "| 5 6 7 8 9"},
		{"a verb with its ending off is none", "fixing #7, fixe #8, closer #9", "| 7 8 9"},

		{"what is denied stays open", "does not fix #7", "| 7"},
		{"wherever the line breaks", "this does not\nfix #7", "| 7"},
		{"with a word set apart", "This does not, however, fix #7", "| 7"},
		{"in every spelling", "doesn't fix #1. Doesn\u2019t close #2. Cannot resolve #3. Never closed #4. Won't fix #5", "| 1 2 3 4 5"},
		{"rather than", "Filed rather than fixed: #7, the cost of this", "| 7"},
		{"without a clear subject", "intentionally not Closes #7", "| 7"},
		{"what is done in part stays open", "partially fixes #7", "| 7"},
		{"said before or after", "fixes #7 partially, closes #8 in part", "| 7 8"},
		{"also in the next line", "fixes #7\nin part", "| 7"},
		{"but not in the next sentence or paragraph", "fixes #7. Later we do more\n\nFixes #8\n\nnext to come\n\nfixes #9\nNext: more", "7 8 9 |"},
		{"what is hoped for stays open", "this should fix #7", "| 7"},
		{"what is tried", "try to fix #7", "| 7"},
		{"what is to be done", "todo: fix #7", "| 7"},
		{"also as a list", "Remaining:\n\n- fix #7\n- close #8", "| 7 8"},
		{"what will be done next", "fix #7 next", "| 7"},
		{"what is asked", "fixes #7?", "| 7"},
		{"what is quoted", "she wrote `fixes #7` and \"closes #8\"", "| 7 8"},
		{"and what a mail quotes", "> fixes #7", "| 7"},
		{"and what is quoted whole", "\"This fixes #1\" and 'this closes #2' and \u201cso fixes #3\u201d", "| 1 2 3"},
		{"a quotation mark alone opens nothing", "a 5\" disk fixes #7", "7 |"},
		{"nor does an apostrophe", "the workers' lock isn't held, fixes #7, it's fine", "7 |"},
		{"what is code", "x\n\n```\nfixes #1\n```\n\n    fixes #2\n    fixes #3\n\n~~~\nfixes #4\n```\nfixes #5", "| 1 2 3 4 5"},
		{"but not what goes on under an item", "x\n\n  * more\n    fixes #7\n```\nx\n```\nfixes #8", "7 8 |"},
		{"what is a comment", "<!-- fixes #1\nfixes #2 --> fixes #3 <!-- fixes #4", "3 | 1 2 4"},
		{"and what a table quotes", "| fixes #7", "| 7"},
		{"no verb reaches over a quotation", "fixes \"all\" #7", "| 7"},
		{"what nobody does", "Nobody fixes #1 here. Nothing here fixes #2", "| 1 2"},
		{"what will be done", "A follow-up will fix #1. This will eventually be extended to fix #2", "| 1 2"},
		{"but what this will do is done", "This will fix #7. The patch will close #8", "7 8 |"},
		{"what is planned or asked for", "We plan to fix #1 after the release. Please fix #2. To be done: fix #3", "| 1 2 3"},
		{"what others do", "After we fix #1, remove this hack. Once upstream fixes #2 we can drop it", "| 1 2"},
		{"what is prepared", "Prepares the ground to fix #1. Allows us to close #2. Helps to fix #3", "| 1 2 3"},
		{"what is undone", "Undo of the change that fixes #7", "| 7"},
		{"what is asked at length", "Does this fix #1 or not? Fixes #2, does it?\n\nFixes #3. Who knows?", "3 | 1 2"},
		{"a doubt in brackets", "Fixes #1 (partially). Fixes #2 (in theory)", "| 1 2"},
		{"behind a comma or a dash", "Fixes #1, but not completely. Fixes #2 - not yet. Fixes #3 \u2014 only partly", "| 1 2 3"},
		{"or for some", "Fixes #7 only on Linux", "| 7"},
		{"a doubt in brackets", "Fixes #7 (WIP). Fixes #8 (first step), fixes #9, hopefully", "| 7 8 9"},
		{"what still fails", "Fixes #7 but Windows still fails", "| 7"},
		{"a doubt before it", "I doubt that this fixes #7. Revert of the commit that fixes #8", "| 7 8"},
		{"struck through", "~~Fixes #7~~", "| 7"},
		{"but not another matter", "Fixes #7, but also renames x. Fixes #8 and tidies up", "7 8 |"},
		{"a denial in another sentence is its own", "It did not work. Fixes #7", "7 |"},
		{"or before a comma", "do not panic on empty input, fixes #7", "7 |"},
		{"or before a dash", "docs: what should be done next - closes #7, what must not \u2014 closes #8", "7 8 |"},
		{"but not between two", "does not - yet - fix #7", "| 7"},
		{"or before a bracket", "do not panic (fixes #7)", "7 |"},
		{"or in another item", "- does not panic\n- fixes #7", "7 |"},
		{"or in another paragraph", "do not panic\n\nfix #7", "7 |"},
		{"or under another heading", "Remaining: nothing.\n\n- fix #7", "7 |"},

		{"a revert closes nothing", "Revert \"x, fixes #7\"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.", "| 7"},
		{"nor does what puts it back", "Reapply \"x, fixes #7\"", "| 7"},
		{"nor a squash with a revert inside", "all of it\n\n* fixes #7\n* This reverts commit 01234567.", "| 7"},
		{"nor a fixup", "fixup! fixes #7", "| 7"},
		{"nor work in progress", "WIP: fixes #7", "| 7"},
		{"a message with a NUL refers to nothing", "fixes #7\x00", "|"},
		{"bytes that are no UTF-8 end nothing", "\xff\xfe fixes #7 \xff", "7 |"},
		{"a line separator is no line", "does not\u2028fix #7", "| 7"},
	} {
		if got := seen(c.message); got != c.want {
			t.Errorf("%s: %q: %q, want %q", c.claim, c.message, got, c.want)
		}
	}
}

// A message with very many numbers is a list and closes nothing.
func TestAListOfEverythingClosesNothing(t *testing.T) {
	var b strings.Builder
	for i := range maxReferences + 1 {
		fmt.Fprintf(&b, "fixes #%d\n", i+1)
	}
	if r := read(b.String()); len(r.Closing) != 0 || len(r.Mentioned) != maxReferences+1 {
		t.Errorf("%d closing, %d mentioned", len(r.Closing), len(r.Mentioned))
	}
}

// A long message takes time in proportion to its length.
func TestALongMessage(t *testing.T) {
	message := strings.Repeat("does not, however, fix ", 40000) + "#7\n\nfixes #8"
	if got := seen(message); got != "8 | 7" {
		t.Errorf("%q", got)
	}
	if got := seen(strings.Repeat("fixes #8\n", maxVerbs)); got != "8 |" {
		t.Errorf("%q", got)
	}
	if got := seen(strings.Repeat("fixes #8\n", 100000)); got != "| 8" {
		t.Errorf("%q", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("does not, fix #7, #8 (fixes: #9)")
	f.Add("\xff\n\n- :fixes\n#1&issue #2?")
	f.Fuzz(func(t *testing.T, message string) {
		r := read(message)
		for _, n := range slices.Concat(r.Closing, r.Mentioned) {
			if n < 1 || n > MaxNumber || !strings.Contains(message, fmt.Sprintf("#%d", n)) {
				t.Errorf("%q: %d", message, n)
			}
		}
		for _, n := range r.Closing {
			if slices.Contains(r.Mentioned, n) {
				t.Errorf("%q: %d twice", message, n)
			}
		}
	})
}
