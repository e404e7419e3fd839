// Package markdown finds the links of a Markdown document.
//
// The document is read as CommonMark by a parser that is kept up by others, so
// that what looks like a link in a code block, in a code span or in a comment
// is none. Links, images and reference definitions are found, used or not, in
// the text of a table too. Tags of HTML are not read.
package markdown

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// MaxDocument bounds a document.
const MaxDocument = 256 << 10

// ErrTooLarge means that a document is larger than MaxDocument, or made so that
// it would take too long to read.
var ErrTooLarge = errors.New("the document is too large to be read for links")

// A Link is where a document leads.
type Link struct {
	Line        int    // from 1
	Destination string // as it is meant: escapes of Markdown are undone, those of a URL are not
}

// Links lists the links of a document in the order of lines. A definition is
// listed once, where it stands, and not again for what refers to it.
func Links(source []byte) ([]Link, error) {
	if len(source) > MaxDocument {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(source), MaxDocument)
	}
	if !bytes.Contains(source, []byte("](")) && !bytes.Contains(source, []byte("]:")) {
		return nil, nil // neither a link nor a definition that one could refer to
	}
	if intricate(source) {
		return nil, fmt.Errorf("%w: it has too many brackets, stars or quotes in one place", ErrTooLarge)
	}
	doc := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	).Parse(text.NewReader(source))
	var links []Link
	lines := lineStarts(source)
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if destination, ok := leads(n); ok && entering {
			links = append(links, Link{lineOf(lines, place(n)), meant(destination)})
		}
		return ast.WalkContinue, nil
	})
	slices.SortStableFunc(links, func(a, b Link) int { return cmp.Compare(a.Line, b.Line) })
	return links, nil
}

// leads is where a node leads by itself.
func leads(n ast.Node) ([]byte, bool) {
	switch n := n.(type) {
	case *ast.Link:
		return n.Destination, n.Reference == nil
	case *ast.Image:
		return n.Destination, n.Reference == nil
	case *ast.LinkReferenceDefinition:
		return n.Destination, true
	}
	return nil, false
}

// meant undoes the escapes of Markdown.
func meant(destination []byte) string {
	d := bytes.TrimSpace(destination)
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(d))))
}

// place is an offset in the source: that of the node, else of what is in it,
// else of the block that it stands in.
func place(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if at := n.Pos(); at >= 0 {
			return at
		}
		for c := n.FirstChild(); c != nil; c = c.FirstChild() {
			if at := c.Pos(); at >= 0 {
				return at
			}
		}
	}
	return 0
}

func lineStarts(source []byte) []int {
	starts := []int{0}
	for i, b := range source {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func lineOf(starts []int, at int) int {
	line, found := slices.BinarySearch(starts, at)
	if found {
		return line + 1
	}
	return line
}
