package audit

import "strings"

// claim reads what a subject claims. The first that holds decides: no claim, a
// document, a test, a document merely mentioned, an effect on code. A mention
// means a document only where no code changed.
func (s subject) claim(codeTouched bool) Kind {
	switch {
	case len(s.all) == 0, s.disclaims():
		return None
	case s.isDoc(codeTouched):
		return Doc
	case s.isTest():
		return Test
	case !codeTouched && s.mentionsDoc():
		return Doc
	case s.leadsWith(&effectVerbs), codeTypes.has(s.kind):
		return Code
	}
	return None
}

// disclaims reports whether the subject says in its leading words that there
// is nothing to check. A conventional type that claims an effect stands by
// itself, so after one only a whole phrase disclaims; build and ci do not,
// their first word may take it back.
func (s subject) disclaims() bool {
	if s.phrase(noClaimPhrases, true) {
		return true
	}
	if effectTypes.has(s.kind) {
		return false
	}
	return s.leadsWith(&noClaimWords)
}

// isDoc reports whether the type, the path or the first word is a document's.
// A scope of documents, and words that speak of any text, mean a document only
// where no code changed.
func (s subject) isDoc(codeTouched bool) bool {
	first := s.kind
	if s.head == "" {
		first = s.rest[0]
	}
	if docWords.has(first) || s.head != "" && docHead(s.head) {
		return true
	}
	return !codeTouched && (textWords.has(first) || docScopes.has(s.scope))
}

// docHead reports whether the head of a subject is the path of a document.
func docHead(head string) bool {
	dir, name := splitPath(head)
	if len(dir) > 0 && (dir[0] == "docs" || dir[0] == "doc") {
		return true
	}
	stem, _, _ := strings.Cut(name, ".")
	return docToken(name) || docPaths.has(name) || docPaths.has(stem)
}

// isTest reports whether the subject speaks of tests: that they pass, in its
// leading words, or early in its description, unless it is their output that is
// meant.
func (s subject) isTest() bool {
	if s.phrase(passPhrases, false) || s.leadsTest() {
		return true
	}
	const reach = 3
	for i, w := range s.rest[:min(reach, len(s.rest))] {
		if earlyTestWords.has(w) && !(i+1 < len(s.rest) && testOutputWords.has(s.rest[i+1])) {
			return true
		}
	}
	return false
}

func (s subject) leadsTest() bool {
	if testLeads.has(s.kind) {
		return true
	}
	return len(s.rest) > 0 && testLeads.has(s.rest[0]) && !(len(s.rest) > 1 && testOutputWords.has(s.rest[1]))
}

// mentionsDoc reports whether the subject names a document or a kind of one.
func (s subject) mentionsDoc() bool {
	const reach = 8
	if s.leadsWith(&docWords) || s.leadsWith(&textWords) || s.early(reach, &docMentions) {
		return true
	}
	if s.phrase([][]string{{"table", "of", "contents"}}, false) {
		return true
	}
	for _, w := range s.all {
		if docToken(w) {
			return true
		}
	}
	return false
}

// docToken reports whether a word is the name of a document.
func docToken(word string) bool {
	_, name := splitPath(word)
	i := strings.LastIndexByte(name, '.')
	return i > 0 && docSuffixes.has(name[i+1:]) && kindOf(name) == doc
}

// claimsMoreTests reports whether taking test lines away contradicts the
// subject: that tests pass, unless they were moved, or that some were added,
// unless it says that others went.
func (s subject) claimsMoreTests() bool {
	if s.phrase(passPhrases, false) {
		return !s.leadsWith(&moveVerbs)
	}
	return s.says(&moreWords) && !s.leadsWith(&moveVerbs) && !s.leadsWith(&removeVerbs)
}
