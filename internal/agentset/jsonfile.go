package agentset

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A node is a JSON value where it stands in a file.
type node struct {
	start, end int
	open       byte // '{', '[' or 0
	keys       []string
	items      []node // values of the members, or elements
	begins     []int  // where each member or element begins: a member, with its key
}

// parse reads a JSON file with the places of its values. A key that stands twice
// in one object is an error, since readers differ in which they take.
func parse(data []byte) (node, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return node{}, err
	}
	p := parser{data: data}
	p.blank()
	return p.value()
}

// A parser reads what is known to be JSON.
type parser struct {
	data []byte
	at   int
}

func (p *parser) blank() {
	for p.at < len(p.data) && bytes.IndexByte([]byte(" \t\r\n"), p.data[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) value() (node, error) {
	n := node{start: p.at}
	var err error
	switch c := p.data[p.at]; c {
	case '{', '[':
		n.open = c
		err = p.members(&n)
	case '"':
		p.text()
	default:
		for p.at < len(p.data) && bytes.IndexByte([]byte(" \t\r\n,]}"), p.data[p.at]) < 0 {
			p.at++
		}
	}
	n.end = p.at
	return n, err
}

func (p *parser) members(n *node) error {
	p.at++
	seen := map[string]bool{}
	for {
		p.blank()
		switch p.data[p.at] {
		case '}', ']':
			p.at++
			return nil
		case ',':
			p.at++
			continue
		}
		begins := p.at
		if n.open == '{' {
			var key string
			if err := json.Unmarshal(p.text(), &key); err != nil {
				return err
			}
			if seen[key] {
				return fmt.Errorf("the key %q stands in it twice", key)
			}
			seen[key] = true
			n.keys = append(n.keys, key)
			p.blank()
			p.at++ // the colon
			p.blank()
		}
		v, err := p.value()
		if err != nil {
			return err
		}
		n.items, n.begins = append(n.items, v), append(n.begins, begins)
	}
}

func (p *parser) text() []byte {
	start := p.at
	for p.at++; p.data[p.at] != '"'; p.at++ {
		if p.data[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	return p.data[start:p.at]
}

// member finds a member of an object, nil for none.
func (n *node) member(key string) (i int, v *node) {
	for i, k := range n.keys {
		if k == key {
			return i, &n.items[i]
		}
	}
	return -1, nil
}

// add puts text behind the last item of n, or first into it where it has none.
// What goes into something that was there before begins with a new line, so that
// it is never [node.glued].
func add(data []byte, n *node, text string) []byte {
	at, put := n.start+1, text
	if len(n.items) > 0 {
		at, put = n.items[len(n.items)-1].end, ","+text
	}
	return splice(data, at, at, put)
}

// drop takes an item out, as add put it in.
func drop(data []byte, n *node, i int) []byte {
	switch {
	case i > 0:
		return splice(data, n.items[i-1].end, n.items[i].end, "")
	case len(n.items) > 1: // another one was put behind it since
		return splice(data, n.begins[0], n.begins[1], "")
	}
	return splice(data, n.start+1, n.items[0].end, "")
}

// glued says whether the first item stands right behind the opening bracket, as
// in what was made here and in nothing that add put into what was there.
func (n *node) glued() bool { return len(n.items) > 0 && n.begins[0] == n.start+1 }

func splice(data []byte, from, to int, put string) []byte {
	out := append([]byte{}, data[:from]...)
	out = append(out, put...)
	return append(out, data[to:]...)
}
