package policy

import "fmt"

// nodeKind is the TOML type of a node.
type nodeKind int

const (
	tableKind nodeKind = iota
	arrayKind
	stringKind
	intKind
	floatKind
	boolKind
	timeKind
)

// String names the type with its article, for messages.
func (k nodeKind) String() string {
	return [...]string{"a table", "a list", "a string", "an integer", "a float", "a boolean", "a date or time"}[k]
}

// origin is how a table or array came to be, which decides who may extend it.
type origin int

const (
	implied  origin = iota // an intermediate part of a header
	byHeader               // [name], or [[name]] for an array
	dotted                 // a dotted key
	inline                 // a value; closed
)

// A node is one value of the file with its place in it. Only the fields of
// its kind are set.
type node struct {
	name   string
	line   int
	kind   nodeKind
	origin origin
	parent *node
	place  int              // among the parent's items
	items  []*node          // elements of an array, members of a table in file order
	index  map[string]*node // members of a table by name
	text   string
	num    int64
	real   float64
	flag   bool
}

func newTable(name string, line int, o origin) *node {
	return &node{name: name, line: line, kind: tableKind, origin: o, index: map[string]*node{}}
}

// add appends a member or element and returns it.
func (n *node) add(child *node) *node {
	child.parent, child.place = n, len(n.items)
	n.items = append(n.items, child)
	if n.kind == tableKind {
		n.index[child.name] = child
	}
	return child
}

// at is the node a path of names leads to, or nil. It does not step into
// arrays.
func (n *node) at(names ...string) *node {
	for _, name := range names {
		if n == nil || n.kind != tableKind {
			return nil
		}
		n = n.index[name]
	}
	return n
}

// tablesOnly reports whether an array holds nothing but tables.
func (n *node) tablesOnly() bool {
	for _, item := range n.items {
		if item.kind != tableKind {
			return false
		}
	}
	return n.kind == arrayKind
}

// typeName names the node's type with its article, for messages.
func (n *node) typeName() string {
	if n.kind == arrayKind && n.origin == byHeader {
		return "an array of tables"
	}
	return n.kind.String()
}

// fault is what is wrong with one value, before it is known which key has it.
type fault struct {
	message string // continues "KEY "
	hint    string
	line    int // of the element at fault; 0 = the key's own
}

func faultf(format string, args ...any) *fault { return &fault{message: fmt.Sprintf(format, args...)} }

// mistyped is the fault of a value of another type.
func mistyped(n *node, want string) *fault {
	return &fault{message: fmt.Sprintf("must be %s, not %s", want, n.typeName()), line: n.line}
}
