package audit

// Silent reports whether a subject claims nothing, whatever its commit changes.
func Silent(raw string) bool {
	s := readSubject(raw)
	return s.claim(true) == None && s.claim(false) == None
}

// Settled reports whether [Audit] comes to one outcome for the change, and to the
// one it has for it as it is, however many lines its files come to be counted with
// and whichever of them turn out to differ in white space alone. What solid names
// is known not to. Paths, links and ModeOnly must be true already.
//
// It saves counting: most subjects claim nothing, or an effect that any line of
// code carries.
func Settled(c Change, solid func(File) bool) bool {
	s, d := readSubject(c.Subject), sortFiles(c.Files)
	kind := s.claim(d.has(source))
	if kind == None || d.empty() {
		return true
	}
	known := func(f File, _ class) bool { return !f.hollow() && solid(f) }
	switch kind {
	case Doc:
		return d.has(doc | data | media | upkeep)
	case Test:
		return d.any(test, known) && !s.claimsMoreTests()
	case Code:
		return d.any(source|data, func(f File, have class) bool { return have&test == 0 && known(f, have) })
	}
	return false
}
