package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Lanes is the lane taxonomy. Names keep the spelling the file gives them and
// are compared without regard to case; no two of them differ in case alone.
type Lanes struct {
	Concurrent []string            // may be held side by side when their trees are disjoint
	Exclusive  []string            // held alone
	Autopick   []string            // offered, in order, to a request that names no lane
	Trees      map[string][]string // lane -> globs
	Aliases    map[string]string   // word -> lane
}

// implicitExclusive are exclusive wherever no list declares them.
var implicitExclusive = []string{"abi", "release", "global"}

// Roster is the concurrent lanes followed by the exclusive ones, in order of
// declaration, each once.
func (p Policy) Roster() []string {
	var out []string
	seen := map[string]bool{}
	for _, name := range slices.Concat(p.Lanes.Concurrent, p.Lanes.Exclusive) {
		if key := fold(name); !seen[key] {
			seen[key] = true
			out = append(out, name)
		}
	}
	return out
}

// Exclusive reports whether a lane runs alone: it is declared so, or it is
// abi, release or global and stands in none of the three lists. Aliases are
// the caller's to resolve first, with Lane.
func (p Policy) Exclusive(name string) bool {
	if hasFold(p.Lanes.Exclusive, name) {
		return true
	}
	return hasFold(implicitExclusive, name) && !hasFold(p.Lanes.Concurrent, name) && !hasFold(p.Lanes.Autopick, name)
}

// Lane resolves a word to the lane it means: an alias gives its target, or the
// target of that where it is an alias again, and a name is returned as
// declared whatever its case. known is false when neither a list nor a tree of
// [lanes] names the lane and it is not one of the names that are exclusive
// undeclared; the name is then returned as it was given.
func (p Policy) Lane(word string) (name string, known bool) {
	name = p.aliased(word)
	for _, list := range [][]string{p.Lanes.Concurrent, p.Lanes.Exclusive, p.Lanes.Autopick, implicitExclusive} {
		for _, declared := range list {
			if fold(declared) == fold(name) {
				return declared, true
			}
		}
	}
	for declared := range p.Lanes.Trees {
		if fold(declared) == fold(name) {
			return declared, true
		}
	}
	return name, false
}

// maxAliases bounds by way of how many aliases one stands for a lane.
const maxAliases = 16

// aliased follows aliases to their end. Of those that go round it is the word.
func (p Policy) aliased(word string) string {
	targets := map[string]string{}
	for alias, target := range p.Lanes.Aliases {
		targets[fold(alias)] = target
	}
	name := word
	for range maxAliases {
		next, alias := targets[fold(name)]
		if !alias || fold(next) == fold(name) {
			return name
		}
		name = next
	}
	return word
}

// Tree is the declared tree of a lane, or nil. The name is compared without
// regard to case.
func (p Policy) Tree(name string) []string {
	for declared, tree := range p.Lanes.Trees {
		if fold(declared) == fold(name) {
			return tree
		}
	}
	return nil
}

// maxLaneBytes is what fits into a ref leaf on every file system.
const maxLaneBytes = 100

// CheckLaneName says why a name cannot be a declared lane, or nil. The name
// becomes part of a ref, so it must be one on every platform: letters, digits
// and . _ -, beginning with a letter or digit. Letters of either case are
// accepted; lanes are told apart by the lower-cased name.
func CheckLaneName(name string) error {
	if f := checkLane(name); f != nil {
		return fmt.Errorf("lane %s %s", quoted(name), f.message)
	}
	return nil
}

func checkLane(name string) *fault {
	key := fold(name)
	stem, _, _ := strings.Cut(key, ".")
	switch {
	case name == "":
		return faultf("must not be empty")
	case len(name) > maxLaneBytes:
		return faultf("has %d bytes, more than the %d a lane name may have", len(name), maxLaneBytes)
	case !only(name, "._-"):
		return faultf("must be made of letters a-z, digits, and . _ -")
	case key[0] == '_':
		return faultf("begins with _, which marks the lanes git-dos reserves for itself")
	case key[0] == '.' || key[0] == '-':
		return faultf("must begin with a letter or digit")
	case strings.HasSuffix(key, ".lock") || strings.HasSuffix(key, ".") || strings.Contains(key, ".."):
		return faultf("cannot be part of a ref: git refuses a final .lock, a final dot and two dots in a row")
	case isDevice(stem):
		return faultf("is the name of a device on Windows and cannot be a file there")
	case stem == "k" && digitsOnly(strings.TrimPrefix(key, "k.")):
		return faultf("is the form of a numbered slot, which git-dos reserves for lanes named ad hoc")
	}
	return nil
}

func isDevice(stem string) bool {
	switch stem {
	case "con", "nul", "aux", "prn":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) &&
		stem[3] >= '1' && stem[3] <= '9'
}

// fold lower-cases ASCII letters only: lane names are ASCII, and a wider fold
// would let other scripts answer to them.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func hasFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return fold(s) == fold(name) })
}
