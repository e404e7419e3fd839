package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Kind is what an argument may be.
type Kind int

// The kinds of arguments.
const (
	Text Kind = iota
	Truth
	Number
	Texts // a list, each of which is a Text
)

// Bounds on an argument.
const (
	maxText  = 4096
	maxTexts = 64
	maxCount = 1 << 31
)

// A Param is an argument of a tool, and where it goes in the command line.
type Param struct {
	Name  string
	About string
	Kind  Kind

	// Of these one is set. Flag is the option that takes it; Operand means that
	// it stands behind the options, in the order of the parameters; Env is the
	// variable for what no other process may read.
	Flag    string
	Operand bool
	Env     string

	Required bool
}

// A Tool is one verb, as far as it is offered.
type Tool struct {
	Name     string
	About    string
	Words    []string // the verb
	Params   []Param
	Writes   bool
	Lines    bool // it prints one JSON value in each line
	Meanings map[int]string
}

// A Call is a call of a tool as the words of a command line: the verb, options
// with their values in the same word, then operands behind "--".
type Call struct {
	Words []string
	Env   []string
}

// offer is the tool as a client is shown it.
func (t Tool) offer() *mcp.Tool {
	props, required := map[string]any{}, []string{}
	for _, p := range t.Params {
		props[p.Name] = p.schema()
		if p.Required {
			required = append(required, p.Name)
		}
	}
	no := false
	return &mcp.Tool{
		Name: t.Name, Description: t.About,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !t.Writes, DestructiveHint: &no},
		InputSchema: map[string]any{"type": "object", "properties": props, "required": required, "additionalProperties": false},
	}
}

func (p Param) schema() map[string]any {
	text := map[string]any{"type": "string", "minLength": 1, "maxLength": maxText}
	var s map[string]any
	switch p.Kind {
	case Truth:
		s = map[string]any{"type": "boolean"}
	case Number:
		s = map[string]any{"type": "integer", "minimum": 0, "maximum": maxCount}
	case Texts:
		s = map[string]any{"type": "array", "items": text, "maxItems": maxTexts}
	default:
		s = text
	}
	s["description"] = p.About
	return s
}

// takes says which arguments the tool takes.
func (t Tool) takes() string {
	if len(t.Params) == 0 {
		return t.Name + " takes no arguments"
	}
	var names []string
	for _, p := range t.Params {
		name := p.Name
		if p.Required {
			name += " (required)"
		}
		names = append(names, name)
	}
	return t.Name + " takes " + strings.Join(names, ", ")
}

// call reads the arguments of a call. Its errors never repeat a value, which may
// be a secret.
func (t Tool) call(data []byte) (Call, error) {
	args, err := arguments(data)
	if err != nil {
		return Call{}, err
	}
	call := Call{Words: slices.Clone(t.Words)}
	var operands []string
	for _, p := range t.Params {
		raw, given := args[p.Name]
		delete(args, p.Name)
		if !given || string(raw) == "null" {
			if p.Required {
				return Call{}, fmt.Errorf("argument %s is missing", p.Name)
			}
			continue
		}
		values, err := p.values(raw)
		if err != nil {
			return Call{}, fmt.Errorf("argument %s %w", p.Name, err)
		}
		for _, v := range values {
			switch {
			case p.Operand:
				operands = append(operands, v)
			case p.Env != "":
				call.Env = append(call.Env, p.Env+"="+v)
			default:
				call.Words = append(call.Words, "--"+p.Flag+"="+v)
			}
		}
	}
	if unknown := slices.Sorted(maps.Keys(args)); len(unknown) > 0 {
		return Call{}, fmt.Errorf("argument %.40q is not known", unknown[0])
	}
	if len(operands) > 0 {
		call.Words = append(append(call.Words, "--"), operands...)
	}
	return call, nil
}

// arguments reads one object in which no key stands twice.
func arguments(data []byte) (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(data)) == 0 || string(data) == "null" {
		return args, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("the arguments are no object")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("the arguments are no JSON")
		}
		name, _ := key.(string)
		if _, twice := args[name]; twice {
			return nil, fmt.Errorf("argument %.40q stands there twice", name)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fmt.Errorf("the arguments are no JSON")
		}
		args[name] = raw
	}
	return args, nil
}

// values are the words an argument stands for.
func (p Param) values(raw json.RawMessage) ([]string, error) {
	switch p.Kind {
	case Truth:
		var v bool
		if json.Unmarshal(raw, &v) != nil {
			return nil, fmt.Errorf("is not true or false")
		}
		if !v {
			return nil, nil
		}
		return []string{"true"}, nil
	case Number:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || n < 0 || n > maxCount {
			return nil, fmt.Errorf("is no whole number from 0 to %d", maxCount)
		}
		return []string{strconv.FormatInt(n, 10)}, nil
	case Texts:
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || len(list) > maxTexts {
			return nil, fmt.Errorf("is no list of at most %d texts", maxTexts)
		}
		var out []string
		for _, item := range list {
			v, err := text(item)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	}
	v, err := text(raw)
	return []string{v}, err
}

// text is one value that is fit to be a word of a command line.
func text(raw json.RawMessage) (string, error) {
	var v *string
	switch err := json.Unmarshal(raw, &v); {
	case err != nil || v == nil:
		return "", fmt.Errorf("is no text")
	case *v == "":
		return "", fmt.Errorf("is empty")
	case len(*v) > maxText:
		return "", fmt.Errorf("has more than %d bytes", maxText)
	case !utf8.ValidString(*v) || strings.ContainsFunc(*v, unicode.IsControl):
		return "", fmt.Errorf("has control characters in it")
	}
	return *v, nil
}
