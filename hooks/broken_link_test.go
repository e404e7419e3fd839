package hooks

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/hooks/markdown"
)

// shelf is a tree of files: their content by path. Folders follow from them.
type shelf map[string]string

func (s shelf) Files(_ context.Context, commit string) (Files, error) {
	if commit == "gone" {
		return nil, errTorn
	}
	if commit == "blob" {
		return nil, nil
	}
	return s, nil
}

func (s shelf) Has(path string) bool { _, ok := s[path]; return ok || s.Folder(path) }

func (s shelf) Folder(path string) bool {
	for p := range s {
		if strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return false
}

func (s shelf) Read(_ context.Context, paths []string, most int64) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, p := range paths {
			text, ok := s[p]
			doc := Document{Path: p, Size: int64(len(text)), Data: []byte(text)}
			if doc.Size > most {
				doc.Data = nil
			}
			if ok && !yield(doc, nil) {
				return
			}
		}
		if _, ok := s["torn"]; ok {
			yield(Document{}, errTorn)
		}
	}
}

func TestBrokenLink(t *testing.T) {
	s := shelf{"README.md": "", "docs/guide.md": "", "docs/a b.md": "", "docs/p%20q.md": "", "docs/img/x.png": "", "docs/w?.md": "", "src/main.go": ""}
	tests := []struct {
		claim, link string
		want        []string
	}{
		{"a file beside it", "a%20b.md", nil},
		{"in angles", "<a b.md>", nil},
		{"one with an anchor", "a%20b.md#part", nil},
		{"an anchor alone", "#part", nil},
		{"one with a query", "img/x.png?raw=true", nil},
		{"a name with a question mark", "w%3F.md", nil},
		{"spelled as the file is", "p%20q.md", nil},
		{"a folder", "img", nil},
		{"a folder with its slash", "img/", nil},
		{"the folder above", "..", nil},
		{"a file above", "../src/main.go", nil},
		{"this folder", ".", nil},
		{"from the top", "/src/main.go", nil},
		{"from the top, as some hosts mean it", "/img/x.png", nil},
		{"elsewhere", "https://example.org/x", nil},
		{"by mail", "mailto:x@example.org", nil},
		{"on another host", "//example.org/x", nil},
		{"a template", "{{base}}/x", nil},
		{"nothing there", "nope.md", []string{`docs/guide.md:3 the link to "nope.md" leads to nothing`}},
		{"another case is another file", "Img/x.png", []string{"leads to nothing"}},
		{"a file is no folder", "img/x.png/", []string{"leads to nothing"}},
		{"nothing at the top", "/nope", []string{"leads to nothing"}},
		{"out of the repository", "../../x.md", []string{"leads out of the repository"}},
		{"out and in again", "../../docs/guide.md", []string{"leads out of the repository"}},
		{"a malformed escape", "x%2.md", []string{"leads to nothing"}},
		{"a malformed escape at the end", "x%", []string{"leads to nothing"}},
	}
	h := brought{{ID: "tip", Changes: []Change{{Status: 'M', Path: "docs/guide.md"}, {Status: 'D', Path: "gone.md"}, {Status: 'A', Path: "src/main.go"}}}}
	for _, tt := range tests {
		s["docs/guide.md"] = "# Guide\n\n[x](" + tt.link + ")\n"
		finds(t, tt.claim, wrong(t, BrokenLinkGate(s), toTrunk(), h), tt.want...)
	}
}

func TestBrokenLinkLooksAtWhatIsPushed(t *testing.T) {
	s := shelf{"a.md": "[x](y)\n\n[z]: w", "b.MARKDOWN": "[x](y)", "c.txt": "[x](y)", "big.md": strings.Repeat(" ", markdown.MaxDocument+1)}
	commit := func(path string) brought { return brought{{Changes: []Change{{Status: 'A', Path: path}}}} }
	to := func(tips ...string) (p Push) {
		p = Push{Hook: PrePush, Trunk: onTrunk}
		for _, tip := range tips {
			p.Updates = append(p.Updates, Update{Ref: "refs/heads/x", New: tip})
		}
		return p
	}
	g := BrokenLinkGate(s)
	finds(t, "links and definitions", wrong(t, g, toTrunk(), commit("a.md")), "a.md:1", "a.md:3")
	finds(t, "the commit that is being made", wrong(t, g, Push{Hook: PreCommit}, commit("b.MARKDOWN")), "b.MARKDOWN:1")
	finds(t, "no Markdown", wrong(t, g, toTrunk(), commit("c.txt")))
	finds(t, "a document that the tip does not have any more", wrong(t, g, toTrunk(), commit("d.md")))
	finds(t, "the same commit on two refs, and one more with the same fault", wrong(t, g, to("tip", "tip", "tip2", ""), commit("b.MARKDOWN")), "b.MARKDOWN:1")
	finds(t, "a tag of a file has no files", wrong(t, g, to("blob"), commit("a.md")))
	finds(t, "files that cannot be read", wrong(t, g, to("gone"), commit("a.md")), "error: an object is missing")
	finds(t, "history that cannot be read", wrong(t, g, toTrunk(), torn{commit("c.txt")}), "error: an object is missing")
	finds(t, "a document that is too large", wrong(t, g, toTrunk(), commit("big.md")), "big.md its 262145 bytes are too many")
	s["torn"] = ""
	finds(t, "a file that cannot be read", wrong(t, g, toTrunk(), commit("a.md")), "error: an object is missing")
}
