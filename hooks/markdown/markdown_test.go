package markdown

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestLinksAreFoundWhereCommonMarkHasThem(t *testing.T) {
	tests := []struct {
		claim, source string
		want          []Link
	}{
		{"a link, with the line it is on", "x\n\nsee [a](b.md) and\n[c](d.md)", []Link{{3, "b.md"}, {4, "d.md"}}},
		{"an image", "![a](b.png)", []Link{{1, "b.png"}}},
		{"a link around an image is two", "[![a](b.png)](c.md)", []Link{{1, "c.md"}, {1, "b.png"}}},
		{"a title is not the destination", `[a](b.md "c.md")`, []Link{{1, "b.md"}}},
		{"a destination with spaces, in angles", "[a](<b c.md>)", []Link{{1, "b c.md"}}},
		{"parentheses that match", "[a](b(1).md)", []Link{{1, "b(1).md"}}},
		{"escapes of Markdown are undone", `[a](b\_c\(.md)`, []Link{{1, "b_c(.md"}}},
		{"entities too", "[a](b&amp;c&#46;md)", []Link{{1, "b&c.md"}}},
		{"escapes of a URL are not", "[a](b%20c.md#d)", []Link{{1, "b%20c.md#d"}}},
		{"an empty destination", "[a]()", []Link{{1, ""}}},
		{"a definition counts once however often it is used", "[a][x] [b][x] [x]\n\n[x]: y.md", []Link{{3, "y.md"}}},
		{"and when nothing uses it", "text\n\n[x]: <y z.md> 'title'", []Link{{3, "y z.md"}}},
		{"in a heading, a list, a quotation and a table", "# [a](1)\n- [b](2)\n> [c](3)\n\n|a|\n|-|\n|[d](4)|\n", []Link{{1, "1"}, {2, "2"}, {3, "3"}, {7, "4"}}},
		{"not in a fence", "```\n[a](b.md)\n```\n", nil},
		{"not in a fence that is never closed", "~~~ md\n[a](b.md)\n", nil},
		{"not in an indented block", "x\n\n    [a](b.md)\n", nil},
		{"not in a code span", "`[a](b.md)` ``[`](c.md)``", nil},
		{"not in a comment", "<!-- [a](b.md)\n[c](d.md) -->\n", nil},
		{"not where the bracket is escaped", `\[a](b.md)`, nil},
		{"not of brackets that nothing defines", "[a] [b][c]", nil},
		{"an autolink is no relative link", "<https://example.org/a>", nil},
		{"lines end with CRLF as well", "a\r\n\r\n[a](b.md)\r\n", []Link{{3, "b.md"}}},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		got, err := Links([]byte(tt.source))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q: %v, %v; want %v", tt.claim, tt.source, got, err, tt.want)
		}
	}
}

func TestALargeDocumentIsRefused(t *testing.T) {
	if got, err := Links(make([]byte, MaxDocument+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%d links, %v", len(got), err)
	}
}

// Documents that are made to be slow are read in seconds at most.
func TestHostileDocumentsEnd(t *testing.T) {
	hostile := func(piece string, size int) error {
		_, err := Links(append([]byte("[a](b)\n\n"), bytes.Repeat([]byte(piece), size/len(piece))...))
		return err
	}
	for _, piece := range []string{"[", "[a](b)*a_", "[a]: b\n\n> ", "![", "[a](", "[a](<", "`", "*a_", "<a", "> ", "- ", "[a]: b\n", "&#", "\\", "[[](", "<!--", "a\n", "\x00", "\xff", "[a][", "](b)"} {
		if err := hostile(piece, 4<<10); err != nil && piece != "> " {
			t.Errorf("%q: %v", piece, err)
		}
	}
	for _, piece := range []string{"[", "[a](", "![", "*a_", "> ", "[a][", "a*\n_b"} {
		if err := hostile(piece, 64<<10); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%q over 64 KiB is read: %v", piece, err)
		}
	}
	// Marks that are spread over blocks add up, and not as if they were in one.
	if err := hostile(strings.Repeat("[a](", 2000)+"\n\n", 200<<10); !errors.Is(err, ErrTooLarge) {
		t.Errorf("many costly blocks are read: %v", err)
	}
	if err := hostile("[a](b) *c* `d_e`\n\n", 200<<10); err != nil {
		t.Errorf("a long document of short blocks: %v", err)
	}
}

func FuzzLinks(f *testing.F) {
	for _, s := range []string{"[a](b)", "[a]: b", "![a](<b c>)", "```\n[a](b)", "> - [a](b", "|a|\n|-|\n|[a](b)|", "[a](b\\", "[a](&#0;)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		links, err := Links([]byte(s))
		if err != nil && !errors.Is(err, ErrTooLarge) {
			t.Fatal(err)
		}
		last, lines := 1, strings.Count(s, "\n")+1
		for _, l := range links {
			if l.Line < last || l.Line > lines {
				t.Errorf("%q: line %d after %d, of %d", s, l.Line, last, lines)
			}
			last = l.Line
		}
	})
}
