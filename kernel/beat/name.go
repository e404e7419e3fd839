package beat

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// ErrUndeclared means that nobody has said how often a name should beat.
var ErrUndeclared = errors.New("is not declared in [heartbeats]")

// maxName bounds a name: it is a key in every node's record.
const maxName = 100

// CheckName refuses what is no name of a beat.
func CheckName(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	switch {
	case name == "":
		return errors.New("beat name is empty")
	case len(name) > maxName:
		return fmt.Errorf("beat name is longer than %d bytes", maxName)
	case name[0] == '-' || strings.Trim(name, letters+"-") != "":
		return fmt.Errorf("beat name %s is not a-z, 0-9 and -, beginning with a letter or digit", verdict.Show(name))
	}
	return nil
}

// Allowed refuses a name under which nobody waits for a beat: a misspelt one
// would feed silence.
func Allowed(name string, declared map[string]time.Duration) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if _, ok := declared[name]; ok || name == Supervise || name == Dispatcher {
		return nil
	}
	err := fmt.Errorf("beat %s %w", name, ErrUndeclared)
	if len(declared) == 0 {
		return err
	}
	names := strings.Join(slices.Sorted(maps.Keys(declared)), ", ")
	return fmt.Errorf("%w, which has %s", err, verdict.Clip(names))
}

func byName(a, b Cadence) int { return cmp.Compare(a.Name, b.Name) }
