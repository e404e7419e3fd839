package policy

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A builder assembles the parser's expressions into one tree of nodes and
// holds the file to TOML's rules on defining a key once, which the parser
// leaves to its caller.
type builder struct {
	parser   unstable.Parser
	newlines []int // offsets of line ends
	size     int
	root     *node
	current  *node // the table of the last header
	problems *collector
}

// Limits on nesting. The deepest key known has four parts; the limits only
// keep a hostile file from growing a tree that recursion cannot walk.
const (
	maxKeyParts = 16
	maxNesting  = 32
)

// readDocument builds the tree. whole is false when a syntax error cut the
// reading short, so that what is missing may merely be unread.
func readDocument(data []byte, c *collector) (root *node, whole bool) {
	b := builder{problems: c, size: len(data), root: newTable("", 0, byHeader)}
	for i, ch := range data {
		if ch == '\n' {
			b.newlines = append(b.newlines, i)
		}
	}
	b.current = b.root
	b.parser.Reset(data)
	for b.parser.NextExpression() {
		e := b.parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			b.header(e)
		case unstable.KeyValue:
			b.keyValue(b.current, e, 0)
		}
	}
	if err := b.parser.Error(); err != nil {
		b.syntax(err)
		return b.root, false
	}
	return b.root, true
}

// header enters the table a [name] or [[name]] line names.
func (b *builder) header(e *unstable.Node) {
	parts, ok := b.keyParts(e)
	if !ok {
		b.current = newTable("", 0, byHeader)
		return
	}
	t := b.root
	for _, part := range parts[:len(parts)-1] {
		if t = b.descend(t, part); t == nil {
			b.current = newTable("", 0, byHeader)
			return
		}
	}
	last := parts[len(parts)-1]
	if e.Kind == unstable.ArrayTable {
		b.current = b.openElement(t, last)
	} else {
		b.current = b.openTable(t, last)
	}
}

// descend steps into an intermediate part of a header, making the table when
// it is new. It answers nil, with the problem recorded, where there is no
// table to step into.
func (b *builder) descend(t *node, part namedAt) *node {
	child := t.index[part.name]
	switch {
	case child == nil:
		return t.add(newTable(part.name, part.line, implied))
	case child.kind == tableKind && child.origin != inline:
		return child
	case child.kind == arrayKind && child.origin == byHeader:
		return child.items[len(child.items)-1]
	}
	b.twice(child, part.line)
	return nil
}

// openTable is the table a [header] defines.
func (b *builder) openTable(t *node, part namedAt) *node {
	child := t.index[part.name]
	switch {
	case child == nil:
		return t.add(newTable(part.name, part.line, byHeader))
	case child.kind == tableKind && child.origin == implied:
		child.origin, child.line = byHeader, part.line
		return child
	}
	b.twice(child, part.line)
	if child.kind == tableKind && child.origin == byHeader {
		return child
	}
	return newTable("", 0, byHeader)
}

// openElement is the new table a [[header]] appends.
func (b *builder) openElement(t *node, part namedAt) *node {
	list := t.index[part.name]
	if list == nil {
		list = t.add(&node{name: part.name, line: part.line, kind: arrayKind, origin: byHeader})
	}
	if list.kind != arrayKind || list.origin != byHeader {
		b.twice(list, part.line)
		return newTable("", 0, byHeader)
	}
	return list.add(newTable("", part.line, byHeader))
}

// keyValue adds one `key = value` to a table.
func (b *builder) keyValue(t *node, e *unstable.Node, depth int) {
	parts, ok := b.keyParts(e)
	if !ok {
		return
	}
	for _, part := range parts[:len(parts)-1] {
		child := t.index[part.name]
		if child == nil {
			child = t.add(newTable(part.name, part.line, dotted))
		} else if child.kind != tableKind || child.origin != dotted {
			b.twice(child, part.line)
			return
		}
		t = child
	}
	last := parts[len(parts)-1]
	if first := t.index[last.name]; first != nil {
		b.twice(first, last.line)
		return
	}
	if v := b.value(e.Value(), last.line, depth); v != nil {
		v.name, v.line = last.name, last.line
		t.add(v)
	}
}

// value is the node of a value, or nil with the problem recorded.
func (b *builder) value(e *unstable.Node, line, depth int) *node {
	if e.Raw.Length > 0 {
		line = b.line(int(e.Raw.Offset))
	}
	v := &node{line: line, origin: inline}
	switch e.Kind {
	case unstable.String:
		v.kind, v.text = stringKind, string(e.Data)
	case unstable.Bool:
		v.kind, v.flag = boolKind, e.Data[0] == 't'
	case unstable.Integer:
		v.kind = intKind
		return b.number(v, e, func(s string) (err error) { v.num, err = strconv.ParseInt(s, 0, 64); return })
	case unstable.Float:
		v.kind = floatKind
		return b.number(v, e, func(s string) (err error) { v.real, err = strconv.ParseFloat(s, 64); return })
	case unstable.Array, unstable.InlineTable:
		return b.container(v, e, depth)
	default:
		v.kind = timeKind
	}
	return v
}

func (b *builder) number(v *node, e *unstable.Node, parse func(string) error) *node {
	if err := parse(strings.ReplaceAll(string(e.Data), "_", "")); err != nil {
		b.problem(v.line, "", "the number %s does not fit in 64 bits", clip(string(e.Data)))
		return nil
	}
	return v
}

func (b *builder) container(v *node, e *unstable.Node, depth int) *node {
	if depth == maxNesting {
		b.problem(v.line, "", "values are nested more than %d deep", maxNesting)
		return nil
	}
	if e.Kind == unstable.InlineTable {
		v.kind, v.index = tableKind, map[string]*node{}
		for it := e.Children(); it.Next(); {
			b.keyValue(v, it.Node(), depth+1)
		}
		return v
	}
	v.kind = arrayKind
	for it := e.Children(); it.Next(); {
		if item := b.value(it.Node(), v.line, depth+1); item != nil {
			v.add(item)
		}
	}
	return v
}

// namedAt is one part of a dotted key and its line.
type namedAt struct {
	name string
	line int
}

func (b *builder) keyParts(e *unstable.Node) ([]namedAt, bool) {
	var parts []namedAt
	for it := e.Key(); it.Next(); {
		n := it.Node()
		parts = append(parts, namedAt{string(n.Data), b.line(int(n.Raw.Offset))})
		if len(parts) > maxKeyParts {
			b.problem(parts[0].line, "", "a key has more than %d parts", maxKeyParts)
			return nil, false
		}
	}
	return parts, len(parts) > 0
}

// twice records a second definition of something.
func (b *builder) twice(first *node, line int) {
	b.problem(line, first.path(), "%s is defined twice, first on line %d", first.path(), first.line)
}

func (b *builder) problem(line int, key, format string, args ...any) {
	b.problems.add(&Error{Line: line, Key: key, Message: fmt.Sprintf(format, args...)})
}

// syntax records where and why the parser gave up.
func (b *builder) syntax(err error) {
	e := &Error{Message: "not valid TOML: " + err.Error()}
	var at *unstable.ParserError
	if errors.As(err, &at) {
		offset := max(0, b.size-cap(at.Highlight))
		e.Line = b.line(offset)
		e.Column = offset + 1
		if e.Line > 1 {
			e.Column = offset - b.newlines[e.Line-2]
		}
	}
	b.problems.add(e)
}

// line is the line number of an offset.
func (b *builder) line(offset int) int { return 1 + sort.SearchInts(b.newlines, offset) }

// path is the node's dotted key as messages spell it.
func (n *node) path() string {
	var parts []string
	for ; n.parent != nil; n = n.parent {
		if n.parent.kind == arrayKind {
			parts = append(parts, bareOrQuoted(n.parent.name)+"["+strconv.Itoa(n.place)+"]")
			n = n.parent
			continue
		}
		parts = append(parts, bareOrQuoted(n.name))
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}
