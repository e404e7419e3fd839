package pushed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/hooks"
)

func TestTheMessagesOfTagsLeaveWithThem(t *testing.T) {
	p := newPlace(t)
	head := p.commit("a", "1\n", "one")
	p.git("remote", "add", "origin", "/nowhere/hub.git")
	p.git("update-ref", "refs/remotes/origin/main", head)
	tagOf := func(name, message, of string) string {
		p.git("tag", "-a", "-m", message, name, of)
		return p.git("rev-parse", "refs/tags/"+name)
	}
	first := tagOf("first", "object x\ntype tag\n\nsaid of a commit", head)
	second := tagOf("second", "said of a tag", first)
	blob := tagOf("blob", "said of a blob", "HEAD:a")
	p.git("tag", "light")

	said := func(ids ...string) string {
		var push []hooks.Update
		for i, id := range ids {
			push = append(push, hooks.Update{Ref: fmt.Sprint("refs/tags/t", i), New: id})
		}
		var got []string
		for l, err := range p.outgoing("origin", push...).Added(context.Background()) {
			if err != nil || l.Path != "" {
				t.Fatalf("%+v, %v", l, err)
			}
			if text := string(l.Text); strings.HasPrefix(text, "said") {
				got = append(got, fmt.Sprintf("%s %d %d", text, l.Number, slices.Index(ids, l.Commit)))
			}
		}
		return strings.Join(got, ", ")
	}
	for _, tt := range []struct {
		claim string
		ids   []string
		want  string
	}{
		{"a tag says what it says", []string{first}, "said of a commit 4 0"},
		{"and so does a tag that it names", []string{second}, "said of a tag 1 0, said of a commit 4 -1"},
		{"each once", []string{second, first}, "said of a tag 1 0, said of a commit 4 1"},
		{"of whatever it is", []string{blob}, "said of a blob 1 0"},
		{"a name alone says nothing", []string{head}, ""},
	} {
		if got := said(tt.ids...); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
	}

	last := second
	for i := range maxNested {
		last = tagOf(fmt.Sprint("n", i), "deeper", last)
	}
	push := hooks.Push{Remote: "origin", Updates: []hooks.Update{{Ref: "refs/tags/n", New: last}}}
	if h, err := Outgoing(context.Background(), p.open(), push); err == nil || !strings.Contains(err.Error(), "nested more than 16 deep") {
		t.Errorf("tags without end: %v, %v", h, err)
	}
}

func TestWhatIsNoTagIsNoTagThatSaysNothing(t *testing.T) {
	const id = "1111111111111111111111111111111111111111"
	whole := "object " + id + "\ntype tag\ntag x\n\ntext\n"
	for _, out := range []string{
		"", id + " missing\n", id + " commit 3\nabc\n", id + " tag 9\nabc\n", id + " tag -1\nabc\n", id + " tag x\nabc\n",
		strings.Repeat("2", 40) + " tag 3\nabc\n", id + " tag 24\nobject nothing\ntype tag\n\n\n",
	} {
		if got, _, ok := cutTag([]byte(out), id); ok {
			t.Errorf("%q is %+v", out, got)
		}
	}
	got, rest, ok := cutTag(fmt.Appendf(nil, "%s tag %d\n%s\nnext", id, len(whole), whole), id)
	if !ok || string(rest) != "next" || got.names != id || string(got.message) != "text\n" {
		t.Errorf("%+v, %q, %v", got, rest, ok)
	}
}
