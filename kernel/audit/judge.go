package audit

// A ruling is a finding without the commit it is about.
type ruling struct {
	outcome Outcome
	witness Witness
	cause   Cause
	reason  string
}

func witnessed(by Witness, reason string) ruling { return ruling{OK, by, "", reason} }

func unwitnessed(cause Cause, reason string) ruling {
	return ruling{Unwitnessed, BySubject, cause, reason}
}

// judgeDoc: anything touched carries a document claim, but for code alone. That
// is undeclared code, unless the claim is about comments or other text that
// lives in code and looks like it from here.
func judgeDoc(s subject, d diff) ruling {
	switch {
	case d.empty():
		return unwitnessed(Empty, "the subject claims documentation and nothing changed")
	case !d.undeclaredCode():
		return witnessed(ByDiff, "something other than code alone changed")
	case s.says(&inCodeWords):
		return ruling{Abstain, ByNothing, UndeclaredCode, "only code changed, and the subject speaks of text inside it: whether that alone changed, the paths do not tell"}
	}
	return unwitnessed(UndeclaredCode, "the subject claims documentation and only code changed")
}

// judgeTest: a test must have changed, and a claim that tests pass, were added
// or cover more is not carried by taking test lines away.
func judgeTest(s subject, d diff) ruling {
	added, deleted := d.lines(test)
	switch {
	case d.empty():
		return unwitnessed(Empty, "the subject claims tests and nothing changed")
	case !d.carries(s, test):
		return unwitnessed(NoTests, "the subject claims tests and no test changed")
	case deleted > added && s.claimsMoreTests():
		return unwitnessed(TestsRemoved, "the subject claims tests that pass or were added, and more test lines went than came")
	}
	return witnessed(ByDiff, "tests changed")
}

// judgeCode: code outside tests carries a code claim, then what a CI claim is
// about, then data; tests, documents, media, modes and white space only where
// the subject says that they are what it is about.
func judgeCode(s subject, d diff, docsOK bool) ruling {
	switch {
	case d.empty():
		return unwitnessed(Empty, "the subject claims an effect and nothing changed")
	case d.solid(source):
		return witnessed(ByDiff, "code changed")
	case s.about("ci") && d.solid(ci):
		return witnessed(ByDiff, "the CI that the subject names changed")
	case d.solid(data):
		return witnessed(ByData, "data or configuration changed, and no code")
	case docsOK && d.solid(doc):
		return witnessed(ByDiff, "documents changed, which --docs-ok accepts")
	case d.declared(s, source):
		return witnessed(ByDiff, "what the subject names changed")
	case d.declared(s, data), d.declared(s, upkeep):
		return witnessed(ByData, "what the subject names changed, and no code")
	}
	return unwitnessed(d.instead())
}

// instead says what changed in place of code.
func (d diff) instead() (Cause, string) {
	switch {
	case d.solid(doc):
		return DocsOnly, "the subject claims an effect and only documents changed"
	case d.solidTest():
		return TestsOnly, "the subject claims an effect and only tests changed"
	case d.solid(media):
		return MediaOnly, "the subject claims an effect and only images, archives or other media changed"
	case d.solid(upkeep):
		return UpkeepOnly, "the subject claims an effect and only the repository's housekeeping changed"
	case d.onlyModes():
		return ModeOnly, "the subject claims an effect and only file modes changed"
	}
	return WhitespaceOnly, "the subject claims an effect and only white space or empty files changed"
}
