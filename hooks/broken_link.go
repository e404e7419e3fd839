package hooks

import (
	"context"
	"fmt"
	"iter"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/git-dos/git-dos/hooks/markdown"
)

// Files are those of one commit, or those that are staged.
type Files interface {
	// Has reports whether a path is a file or a folder. It is true as well for
	// what lies in a submodule or behind a symbolic link: that cannot be told.
	Has(path string) bool
	// Folder reports whether a path is a folder, or cannot be told.
	Folder(path string) bool
	// Read yields those of the paths that are regular files of the commit. An
	// error is the last thing yielded.
	Read(ctx context.Context, paths []string, most int64) iter.Seq2[Document, error]
}

// A Document is a file as it was read. One that is larger than what was asked
// for has no data.
type Document struct {
	Path string
	Size int64
	Data []byte
}

// A Library opens the files of a commit, or those that are staged where the
// commit is "". They are nil where the object leads to no files.
type Library interface {
	Files(ctx context.Context, commit string) (Files, error)
}

// maxLinkFindings bounds what is looked for: a reader needs no more.
const maxLinkFindings = 1000

// BrokenLinkGate finds the relative links, images and definitions of the
// Markdown files touched by the push that lead to nothing in the commit pushed.
// An anchor is not looked for in the file that it leads to. A path that begins
// with a slash is looked for from the top of the repository and from the
// document, since hosts differ; one that leaves the repository leads to nothing.
// Templates, the tags of HTML, and links whose scheme says that they lead
// elsewhere are not judged.
func BrokenLinkGate(l Library) Gate {
	return Gate{BrokenLink, func(ctx context.Context, p Push, h History) (found []Finding, err error) {
		touched, err := touchedDocuments(ctx, h)
		if err != nil || len(touched) == 0 {
			return nil, err
		}
		seen := map[string]bool{}
		for _, tip := range tips(p) {
			files, err := l.Files(ctx, tip)
			if err != nil {
				return nil, err
			}
			if files == nil {
				continue
			}
			for doc, err := range files.Read(ctx, touched, markdown.MaxDocument) {
				if err != nil {
					return nil, err
				}
				for _, f := range brokenIn(files, doc) {
					if key := fmt.Sprintf("%s\x00%d\x00%s", f.Path, f.Line, f.Reason); !seen[key] && len(found) < maxLinkFindings {
						seen[key], f.Commit = true, tip
						found = append(found, f)
					}
				}
			}
		}
		return found, nil
	}}
}

// tips are the commits pushed, each once, or "" for the one that is being made.
func tips(p Push) (all []string) {
	if p.Hook == PreCommit {
		return []string{""}
	}
	seen := map[string]bool{"": true}
	for _, u := range p.Updates {
		if !seen[u.New] {
			seen[u.New] = true
			all = append(all, u.New)
		}
	}
	return all
}

// touchedDocuments are the Markdown files that a new commit writes, each once.
func touchedDocuments(ctx context.Context, h History) (docs []string, err error) {
	seen := map[string]bool{}
	for c, err := range h.Commits(ctx) {
		if err != nil {
			return nil, err
		}
		for _, ch := range c.Changes {
			if ch.Status != 'D' && isMarkdown(ch.Path) && !seen[ch.Path] {
				seen[ch.Path] = true
				docs = append(docs, ch.Path)
			}
		}
	}
	return docs, nil
}

func isMarkdown(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown", ".mkd", ".mdown":
		return true
	}
	return false
}

func brokenIn(files Files, doc Document) (found []Finding) {
	links, err := markdown.Links(doc.Data)
	if err != nil || doc.Size > markdown.MaxDocument {
		return []Finding{{Path: doc.Path, Reason: fmt.Sprintf("its %d bytes are too many to be read for links, at most %d", doc.Size, markdown.MaxDocument), Fix: "divide it"}}
	}
	for _, l := range links {
		if why := broken(files, doc.Path, l.Destination); why != "" {
			found = append(found, Finding{Path: doc.Path, Line: l.Line, Reason: fmt.Sprintf("the link to %q %s", clip(l.Destination), why),
				Fix: "correct the link, or commit what it leads to"})
		}
	}
	return found
}

// elsewhere is a destination that names a scheme or a host.
var elsewhere = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//|\\\\)`)
})

// broken says why a destination leads to nothing, "" where it leads somewhere or
// that is not judged.
func broken(files Files, doc, destination string) string {
	if elsewhere().MatchString(destination) || strings.Contains(destination, "{{") || strings.Contains(destination, "{%") {
		return ""
	}
	why := "leads to nothing"
	for _, p := range spellings(destination) {
		if p == "" {
			return "" // to the document itself
		}
		for _, from := range starts(doc, p) {
			to := path.Join(from, p)
			if to == ".." || strings.HasPrefix(to, "../") {
				why = "leads out of the repository"
				continue
			}
			if to == "." || files.Has(to) && (!strings.HasSuffix(p, "/") || files.Folder(to)) {
				return ""
			}
		}
	}
	return why
}

// spellings are the paths that a destination may mean: with its query or
// without, with the escapes of a URL undone or as it is.
func spellings(destination string) []string {
	p, _, _ := strings.Cut(destination, "#")
	short, _, asks := strings.Cut(p, "?")
	all := []string{short}
	if asks {
		all = append(all, p)
	}
	for _, s := range all {
		if plain, ok := unescaped(s); ok && plain != s {
			all = append(all, plain)
		}
	}
	return all
}

// starts are the folders from which a path may be meant.
func starts(doc, p string) []string {
	if strings.HasPrefix(p, "/") {
		return []string{".", path.Dir(doc)}
	}
	return []string{path.Dir(doc)}
}

// unescaped undoes the escapes of a URL. It is false where one is malformed.
func unescaped(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), true
}
