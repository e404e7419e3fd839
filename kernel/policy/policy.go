// Package policy is dos.toml as values.
//
// The file is a closed table: every key git-dos knows stands in one schema,
// with its type, its default and the field it fills. Parse reads a whole file
// against that schema and reports everything that is wrong with it, each
// problem with its line. Nothing is guessed: a key nobody knows, a value of
// another type or a number out of range makes the file unusable, because a
// misread rule can turn a refusal into a grant.
//
// Keys of the older Python kernel that have no meaning here are accepted and
// listed in Policy.Ignored, so a file written for it loads.
//
// The package never opens a file. Which copy of dos.toml counts (the work
// tree's or the trunk's) is the caller's decision, and so is everything that
// outranks the file: flags, environment and git config.
package policy

import "time"

// A Policy is every setting of dos.toml, defaults filled in. It comes from
// Default or Parse; the zero Policy declares no lanes and must not be judged by.
type Policy struct {
	Workspace          string // accepted for compatibility, never read
	Trunk              Trunk
	Lanes              Lanes
	Overlap            Overlap
	ConcurrencyClasses []ConcurrencyClass // one per name, the last statement of a name counts
	Admission          Admission
	Lease              Lease
	Fleet              Fleet
	Plans              map[string]string // plan -> the lane its units belong to
	Paths              Paths
	Stamp              Stamp
	Verify             Verify
	Ship               Ship
	Cooldown           Cooldown
	Liveness           Liveness
	Heartbeats         map[string]time.Duration // beat -> declared interval, above zero
	Loop               Loop
	Improve            Improve
	Supervise          Supervise
	Worker             Worker
	Super              Super
	Accounts           []Account // names are unique
	Gates              Gates
	Clean              Clean
	Archive            Archive
	Retention          Retention
	Queue              Queue

	// Ignored lists the accepted keys that have no effect, in line order.
	Ignored []Ignored

	lines map[string]int
}

// Ignored is a key of the older kernel that was accepted and has no effect.
type Ignored struct {
	Key  string // dotted, as an error message would spell it
	Line int    // where it stands, starting at 1
}

// Line is where the file states a key, or 0 when its value is a default. The
// key is dotted; a part that is not a bare TOML key is quoted, and entry i of
// an array of tables is spelled account[i].
func (p Policy) Line(key string) int { return p.lines[key] }

// Stated reports whether the file itself gave the key a value, as opposed to
// the default filling it in.
func (p Policy) Stated(key string) bool { return p.lines[key] > 0 }

// Parse reads a dos.toml. A file with any problem yields an error of type
// Errors that holds all of them, and a zero Policy. Empty data is the default
// policy. A byte order mark and CRLF line ends are tolerated; other encodings,
// NUL and files above 1 MiB are not.
func Parse(data []byte) (Policy, error) {
	data, errs := screen(data)
	if errs != nil {
		return Policy{}, errs
	}
	var c collector
	root, whole := readDocument(data, &c)
	p := Default()
	p.lines = map[string]int{}
	r := reader{policy: &p, problems: &c}
	r.document(root)
	if whole {
		r.check(root)
	}
	if err := c.errors(); err != nil {
		return Policy{}, err
	}
	return p, nil
}
