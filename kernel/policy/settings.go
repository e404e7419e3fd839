package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Setting is one key of a policy with the value that is in force.
type Setting struct {
	Key    string // as dos.toml has it; account[0] is the first entry
	Value  string // as TOML; "" for none
	Line   int    // where it is stated, 0 when it is not
	Secret bool   // the value is not for showing
}

// Settings are the values that are in force, in the order of Keys. A key of
// any name is there once for each name that is stated.
func (p Policy) Settings() []Setting {
	var list []Setting
	for _, k := range allKeys() {
		table, _, many := strings.Cut(k.path, "[].")
		switch {
		case !many:
			list = append(list, p.named(k, k.path)...)
		case table == "account":
			for i := range p.Accounts {
				q := p
				q.Accounts = p.Accounts[:i+1]
				list = append(list, q.named(k, strings.Replace(k.path, "[]", entry(i), 1))...)
			}
		default:
			for i := range p.ConcurrencyClasses {
				q := p
				q.ConcurrencyClasses = p.ConcurrencyClasses[:i+1]
				list = append(list, q.named(k, strings.Replace(k.path, "[]", entry(i), 1))...)
			}
		}
	}
	return list
}

// named are the settings of a key that p shows, under path.
func (p Policy) named(k key, path string) []Setting {
	before, any := strings.CutSuffix(path, anyName)
	if !any {
		return []Setting{{Key: path, Value: k.show(&p, ""), Line: p.lines[path]}}
	}
	var list []Setting
	secret := strings.HasPrefix(k.path, "account[].env.")
	for _, stated := range slices.Sorted(maps.Keys(p.lines)) {
		name, ok := strings.CutPrefix(stated, before)
		if !ok {
			continue
		}
		list = append(list, Setting{Key: stated, Value: k.show(&p, unquoted(name)), Line: p.lines[stated], Secret: secret})
	}
	if before != "lanes.trees." || len(list) > 0 {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(p.Lanes.Trees)) {
		list = append(list, Setting{Key: before + bareOrQuoted(name), Value: k.show(&p, name)})
	}
	return list
}

func entry(i int) string { return "[" + strconv.Itoa(i) + "]" }

// unquoted is the name that bareOrQuoted spelled; one that it shortened names
// nothing, and so has no value.
func unquoted(s string) string {
	if name, err := strconv.Unquote(s); err == nil {
		return name
	}
	return s
}
