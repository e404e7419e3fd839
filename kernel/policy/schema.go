package policy

import (
	"strings"
	"sync"
)

// A KeyDoc describes one key of dos.toml.
type KeyDoc struct {
	// Key is the dotted key. NAME stands for any name, and account[] for
	// each entry of the array of tables account.
	Key     string
	Type    string
	Default string // as TOML; "" when the key has no value by default
	Doc     string // one line
}

// Keys lists every key that has a meaning, in the order of the documentation.
func Keys() []KeyDoc {
	p := Default()
	p.ConcurrencyClasses = append(p.ConcurrencyClasses, ConcurrencyClass{})
	p.Accounts = append(p.Accounts, defaultAccount())
	var docs []KeyDoc
	for _, k := range allKeys() {
		d := KeyDoc{Key: k.path, Type: k.typ, Doc: k.doc, Default: k.show(&p, "")}
		if k.required || strings.HasSuffix(k.path, "."+anyName) {
			d.Default = ""
		}
		docs = append(docs, d)
	}
	return docs
}

// anyName is the part of a schema path that stands for any name.
const anyName = "NAME"

// A key is one entry of the schema: a path, and how its value moves between
// the file and the policy.
type key struct {
	path     string
	typ      string
	doc      string
	required bool // in every entry of its array of tables
	read     func(p *Policy, name string, n *node) *fault
	show     func(p *Policy, name string) string
}

// one is a key with a field of its own.
func one[T any](path string, k kind[T], field func(*Policy) *T, doc string) key {
	return key{
		path: path, typ: k.name, doc: doc,
		read: func(p *Policy, _ string, n *node) *fault {
			v, f := k.read(n)
			if f == nil {
				*field(p) = v
			}
			return f
		},
		show: func(p *Policy, _ string) string { return k.show(*field(p)) },
	}
}

// many is a key of any name, kept in a map.
func many[T any](path string, k kind[T], field func(*Policy) map[string]T, check func(string) *fault, doc string) key {
	return key{
		path: path, typ: k.name, doc: doc,
		read: func(p *Policy, name string, n *node) *fault {
			if f := check(name); f != nil {
				return f
			}
			v, f := k.read(n)
			if f == nil {
				field(p)[name] = v
			}
			return f
		},
		show: func(p *Policy, name string) string {
			if v, ok := field(p)[name]; ok {
				return k.show(v)
			}
			return ""
		},
	}
}

func (k key) must() key {
	k.required = true
	return k
}

// checkWord bounds a name that is only ever looked up.
func checkWord(s string) *fault {
	if len(s) > 200 {
		return faultf("is a name of %d bytes, more than the 200 allowed", len(s))
	}
	return checkLine(s)
}

// allKeys is the schema, built once.
var allKeys = sync.OnceValue(schema)

// A spec is a point of the schema seen as a tree: a table, an array of
// tables, a key, or something accepted and ignored.
type spec struct {
	sub     map[string]*spec
	order   []string
	list    bool
	key     *key
	ignored bool
	begin   func(*Policy) // starts an entry of an array of tables
}

// schemaTree is the schema as a tree, built once.
var schemaTree = sync.OnceValue(func() *spec {
	root := &spec{}
	for _, k := range allKeys() {
		root.reach(k.path).key = &k
	}
	for _, path := range ignoredKeys {
		root.reach(path).ignored = true
	}
	root.reach("concurrency_class[]").begin = func(p *Policy) {
		p.ConcurrencyClasses = append(p.ConcurrencyClasses, ConcurrencyClass{})
	}
	root.reach("account[]").begin = func(p *Policy) { p.Accounts = append(p.Accounts, defaultAccount()) }
	return root
})

// reach is the spec a path leads to, made on the way where it is missing.
func (s *spec) reach(path string) *spec {
	for _, part := range strings.Split(path, ".") {
		name, list := strings.CutSuffix(part, "[]")
		child := s.sub[name]
		if child == nil {
			child = &spec{list: list}
			if s.sub == nil {
				s.sub = map[string]*spec{}
			}
			s.sub[name] = child
			s.order = append(s.order, name)
		}
		s = child
	}
	return s
}

// child is the spec of a member, or nil when it is unknown.
func (s *spec) child(name string) *spec {
	if named := s.sub[anyName]; named != nil {
		return named
	}
	return s.sub[name]
}

// ignoredKeys are the keys and tables of the older kernel without a meaning
// here. Their values are not looked at.
var ignoredKeys = []string{
	"plan", "reasons.NAME", "data_class", "env", "enumerate",
	"paths.execution_state", "paths.soaks_index", "paths.lane_journal", "paths.audits",
	"paths.verdict_journal", "paths.archive_lock",
	"verify.non_git_oracle", "verify.exec_cmd", "verify.prefer_artifact_rung",
	"retention.audits_keep_last", "retention.verdicts_keep_last",
}
