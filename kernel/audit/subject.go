package audit

import (
	"slices"
	"strings"
)

// A subject is a commit's subject taken apart, in lower case. A head is what
// stands before the first colon when that is one short word, with or without a
// scope: "fix", "feat(api)!", "README.md".
type subject struct {
	all   []string // every word, trimmed of punctuation
	head  string   // "" without one
	kind  string   // the head's first word: the type of a conventional subject
	scope string   // what the head has in parentheses
	rest  []string // the words after the head; all of them without one
}

const maxHead = 30

// maxSubject bounds how much of a subject is read for its claim. What stands
// first decides, so a longer one is read by its beginning.
const maxSubject = 4 << 10

func readSubject(raw string) subject {
	text := lower(raw[:min(len(raw), maxSubject)])
	s := subject{all: words(text)}
	head, rest, ok := strings.Cut(text, ":")
	head = strings.TrimSpace(head)
	if !ok || head == "" || len(head) >= maxHead || strings.ContainsAny(head, " \t") {
		s.rest = s.all
		return s
	}
	s.head, s.rest = head, words(rest)
	end := strings.IndexFunc(head, func(r rune) bool { return !wordRune(r) })
	if end < 0 {
		end = len(head)
	}
	s.kind = head[:end]
	if _, after, ok := strings.Cut(head, "("); ok {
		s.scope, _, _ = strings.Cut(after, ")")
	}
	return s
}

func wordRune(r rune) bool {
	return r == '_' || r == '-' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
}

// words splits a text at white space and trims each word of the punctuation
// around it. What is nothing but punctuation is no word.
func words(text string) []string {
	var list []string
	for _, w := range strings.Fields(text) {
		if w = strings.TrimFunc(w, punctuation); w != "" {
			list = append(list, w)
		}
	}
	return list
}

func punctuation(r rune) bool {
	switch r {
	case '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', '*', '_', '~':
		return true
	}
	return false
}

// leads are the words that say what kind of change it is: the head's first and
// the description's first.
func (s subject) leads() []string {
	var list []string
	if s.kind != "" {
		list = append(list, s.kind)
	}
	if len(s.rest) > 0 {
		list = append(list, s.rest[0])
	}
	return list
}

func (s subject) leadsWith(m *set) bool { return slices.ContainsFunc(s.leads(), m.has) }

// early reports whether one of the first n words of the description is in m.
func (s subject) early(n int, m *set) bool {
	return slices.ContainsFunc(s.rest[:min(n, len(s.rest))], m.has)
}

// says reports whether any word is in m, or a part of one: a scope, a half of a
// hyphenated word.
func (s subject) says(m *set) bool {
	if slices.ContainsFunc(s.all, m.has) {
		return true
	}
	return slices.ContainsFunc(s.all, func(w string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(w, func(r rune) bool { return !wordRune(r) || r == '-' }), m.has)
	})
}

// phrase reports whether one of the phrases stands in the subject, word by
// word; start restricts it to the beginning of the description.
func (s subject) phrase(phrases [][]string, start bool) bool {
	list := s.all
	if start {
		list = s.rest
	}
	for i := range list {
		for _, p := range phrases {
			if len(list)-i >= len(p) && slices.Equal(list[i:i+len(p)], p) {
				return true
			}
		}
		if start {
			break
		}
	}
	return false
}

// about reports whether a conventional subject has this type or scope.
func (s subject) about(word string) bool { return s.kind == word || s.scope == word }

// names reports whether the subject names a file, with or without its leading
// dot and its folder.
func (s subject) names(path string) bool {
	_, name := splitPath(lower(path))
	bare := strings.TrimPrefix(name, ".")
	for _, w := range append(s.all, s.head, s.scope) {
		if w == name || w == bare || strings.HasSuffix(w, "/"+name) {
			return true
		}
	}
	return false
}

// excerpt is the subject for display: its beginning, valid UTF-8.
func excerpt(raw string) string {
	const limit = 200
	if len(raw) > limit {
		raw = strings.ToValidUTF8(raw[:limit], "") + "..."
	}
	return strings.ToValidUTF8(raw, "\uFFFD")
}
