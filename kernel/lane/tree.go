package lane

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Bounds on what a tree may hold. A tree beyond them is not cleaned, and
// where it is found in the store it may name any file.
const (
	maxEntries  = 1024 // entries in a tree
	maxEntry    = 1024 // bytes in an entry
	maxSegments = 64   // segments in an entry
)

// universal is the entry that names every file.
const universal = "**/*"

// CleanTree returns the entries in the form a lease stores: slashes forward,
// white space around an entry trimmed, "." and ".." resolved, repeated
// slashes and repeated entries dropped, and "." or nothing left written as
// the entry that names every file. Case is kept. Empty entries are dropped,
// so the result may be empty: an unknown region.
//
// An absolute path, a drive letter, a path out of the repository, a leading
// "!", white space alone, control characters and text that is not UTF-8 are
// errors.
func CleanTree(entries []string) ([]string, error) {
	if len(entries) > maxEntries {
		return nil, fmt.Errorf("tree has %d entries, more than %d: name directories instead", len(entries), maxEntries)
	}
	clean := []string{}
	for _, e := range entries {
		if e == "" {
			continue
		}
		c, err := cleanEntry(e)
		if err != nil {
			return nil, fmt.Errorf("tree entry %q %w", verdict.Clip(e), err)
		}
		if !slices.Contains(clean, c) {
			clean = append(clean, c)
		}
	}
	return clean, nil
}

func cleanEntry(entry string) (string, error) {
	e := strings.ReplaceAll(strings.TrimSpace(entry), `\`, "/")
	if err := readable(e); err != nil {
		return "", err
	}
	e, err := resolve(e)
	if err != nil {
		return "", err
	}
	switch {
	case e == "":
		return universal, nil
	case strings.TrimSpace(e) != e:
		return "", errors.New("starts or ends with white space once cleaned")
	case e[0] == '!':
		return "", errors.New(`starts with "!": a tree has no exceptions, name what it holds`)
	case drive(e):
		return "", errors.New("names a drive: use a path from the top of the repository")
	case strings.Count(e, "/") >= maxSegments:
		return "", fmt.Errorf("has more than %d segments", maxSegments)
	}
	return e, nil
}

func readable(e string) error {
	switch {
	case e == "":
		return errors.New("is only white space")
	case len(e) > maxEntry:
		return fmt.Errorf("is longer than %d bytes", maxEntry)
	case !utf8.ValidString(e):
		return errors.New("is not valid UTF-8")
	case strings.ContainsFunc(e, unicode.IsControl):
		return errors.New("holds a control character")
	case e[0] == '/':
		return errors.New("is absolute: use a path from the top of the repository")
	}
	return nil
}

// resolve removes empty, "." and ".." segments. A trailing slash survives.
// A ".." after a wildcard is an error: what it undoes is not known.
func resolve(e string) (string, error) {
	if tidy(e) {
		return e, nil
	}
	var kept []string
	dir := false
	for s := range strings.SplitSeq(e, "/") {
		dir = s == "" || s == "." || s == ".."
		switch {
		case s == "" || s == ".":
		case s != "..":
			kept = append(kept, s)
		case len(kept) == 0:
			return "", errors.New("leaves the repository")
		case strings.ContainsAny(kept[len(kept)-1], meta):
			return "", errors.New(`has ".." after a wildcard`)
		default:
			kept = kept[:len(kept)-1]
		}
	}
	if dir {
		kept = append(kept, "")
	}
	return strings.Join(kept, "/"), nil
}

// tidy reports that no segment needs resolving.
func tidy(e string) bool {
	return e[0] != '.' && !strings.Contains(e, "//") && !strings.Contains(e, "/.")
}

func drive(e string) bool {
	return len(e) > 1 && e[1] == ':' && (e[0] >= 'a' && e[0] <= 'z' || e[0] >= 'A' && e[0] <= 'Z')
}
