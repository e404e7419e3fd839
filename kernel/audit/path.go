package audit

import (
	"slices"
	"strings"
)

// A class is what a path is, by its name alone. Each path has exactly one of
// source, doc, data, media and upkeep, and may be a test or part of CI besides.
type class uint8

const (
	source class = 1 << iota
	doc
	data
	media
	upkeep // the repository's own housekeeping, which runs nowhere
	test
	ci
)

func classify(f File) class {
	path := lower(f.Path)
	dir, name := splitPath(path)
	c := kindOf(name)
	if f.Link {
		c = data // it pins a version, as a lock file does
	}
	if isTest(dir, name) && (c != doc || slices.ContainsFunc(dir, fixtureDirs.has)) {
		c |= test
	}
	if isCI(path, dir, name) {
		c |= ci
	}
	return c
}

func splitPath(path string) (dir []string, name string) {
	part := strings.Split(path, "/")
	return part[:len(part)-1], part[len(part)-1]
}

func kindOf(name string) class {
	stem, ext := name, ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		stem, ext = name[:i], name[i+1:]
	}
	first, _, _ := strings.Cut(name, ".")
	switch {
	case upkeepNames.has(name):
		return upkeep
	case sourceNames.has(name), sourceSuffixes.has(ext), first == "dockerfile", first == "makefile":
		return source
	case pinned(stem) && (ext == "txt" || ext == "in"):
		return data
	case mediaSuffixes.has(ext):
		return media
	case docSuffixes.has(ext), proseNames.has(first) && !dataSuffixes.has(ext), ext == "" && licence(name):
		return doc
	case ext == "" && !dataNames.has(name):
		return source
	}
	return data
}

// pinned reports whether a text file of this name lists versions.
func pinned(stem string) bool {
	return strings.HasPrefix(stem, "requirements") || strings.HasPrefix(stem, "constraints")
}

// licence reports whether a file without a suffix is a licence, LICENSE-MIT too.
func licence(name string) bool {
	word, _, _ := strings.Cut(name, "-")
	return word == "license" || word == "licence" || word == "copying"
}

// isTest reports whether a path lies among tests or is named as one.
func isTest(dir []string, name string) bool {
	if slices.ContainsFunc(dir, testDirs.has) {
		return true
	}
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return false
	}
	stem := name[:i]
	return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") ||
		strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec")
}

// isCI reports whether a hosted build reads the path.
func isCI(path string, dir []string, name string) bool {
	if len(dir) == 2 && dir[0] == ".github" && dir[1] == "workflows" {
		return strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")
	}
	return ciPaths.has(path)
}

// lower folds the ASCII letters of raw bytes and leaves all others alone.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return s[:i] + lowered(s[i:])
		}
	}
	return s
}

func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
