package policy

import "strings"

// checkGlob refuses patterns that could name files outside the repository or
// that no pattern language here understands.
func checkGlob(s string) *fault {
	if f := checkLine(s); f != nil {
		return f
	}
	if strings.HasPrefix(strings.TrimSpace(s), "!") {
		return faultf("%s must not begin with !: a tree is a list of what it holds, without exceptions", quoted(s))
	}
	return checkRelative(s)
}

// checkRelative refuses absolute paths, drive letters and paths that climb
// out of the repository. A segment of ** may stand for no directory at all,
// so it gives a later .. nothing to climb back over.
func checkRelative(s string) *fault {
	p := strings.ReplaceAll(strings.TrimSpace(s), `\`, "/")
	switch {
	case strings.HasPrefix(p, "/"):
		return faultf("%s must be relative to the repository, without a leading slash", quoted(s))
	case len(p) >= 2 && p[1] == ':' && isLetter(p[0]):
		return faultf("%s must be relative to the repository, without a drive letter", quoted(s))
	}
	depth := 0
	for _, segment := range strings.Split(p, "/") {
		switch segment {
		case "", ".", "**":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			return faultf("%s must not lead out of the repository with ..", quoted(s))
		}
	}
	return nil
}

// checkPath is a path of one file or folder of the repository.
func checkPath(s string) *fault {
	if f := checkLine(s); f != nil {
		return f
	}
	return checkRelative(s)
}

// checkRef refuses what git would refuse as a ref name, and anything outside
// printable ASCII.
func checkRef(s string) *fault {
	bad := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`~^:?*[\`, r) }
	switch {
	case s == "" || strings.ContainsFunc(s, bad):
		return faultf("is not a legal ref name: %s", quoted(s))
	case s == "@" || s[0] == '-' || strings.Contains(s, "@{") || strings.Contains(s, ".."):
		return faultf("is not a legal ref name: %s", quoted(s))
	}
	for _, part := range strings.Split(s, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".") || strings.HasSuffix(strings.ToLower(part), ".lock") {
			return faultf("is not a legal ref name: %s", quoted(s))
		}
	}
	return nil
}

// checkPrefix wants a namespace of its own below refs/.
func checkPrefix(s string) *fault {
	if f := checkRef(s); f != nil {
		return f
	}
	if !strings.HasPrefix(s, "refs/") {
		return &fault{message: "must begin with refs/, " + quoted(s) + " does not", hint: `write "refs/dos"`}
	}
	switch s {
	case "refs/heads", "refs/tags", "refs/remotes", "refs/notes":
		return &fault{message: "must have a name of its own below " + s, hint: `write "` + s + `/dos"`}
	}
	return nil
}

func checkFleetID(s string) *fault {
	if s == "" || len(s) > 100 || !only(s, "._-") {
		return faultf("must be 1 to 100 of the characters A-Z a-z 0-9 . _ -, not %s", quoted(s))
	}
	return nil
}

// maxBeatName bounds a beat's name, which every node's record repeats.
const maxBeatName = 100

func checkHeartbeat(s string) *fault {
	if !only(s, "-") || s[0] == '-' || strings.ToLower(s) != s {
		return faultf("is not a legal beat name: use a-z, 0-9 and -, beginning with a letter or digit")
	}
	if len(s) > maxBeatName {
		return faultf("is longer than %d bytes", maxBeatName)
	}
	return nil
}

func checkEnvName(s string) *fault {
	if !only(s, "_") || s[0] >= '0' && s[0] <= '9' {
		return faultf("is not the name of an environment variable: %s", quoted(s))
	}
	return nil
}

// contains refuses a template that lacks a placeholder.
func contains(placeholders ...string) func(string) *fault {
	return func(s string) *fault {
		for _, word := range placeholders {
			if !strings.Contains(s, word) {
				return faultf("must contain %s", word)
			}
		}
		return nil
	}
}

// only reports whether s is non-empty and made of ASCII letters, digits and
// the extra characters.
func only(s, extra string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r < 0x80 && isLetter(byte(r)) || r >= '0' && r <= '9' || strings.ContainsRune(extra, r))
	})
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
