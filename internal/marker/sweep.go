package marker

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// abandoned is the age at which a file that was on its way to be a marker is one whose
// writer was killed: to write one takes no time.
const abandoned = time.Hour

// sweep removes what writers that were killed left on its way. Anything else in the
// folder stays, and so does what cannot be looked at.
func (f Folder) sweep(now time.Time) {
	dir, err := os.Open(f.dir)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(maxMarkers)
	for _, e := range entries {
		if !onItsWay(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if st, err := e.Info(); err == nil && now.Sub(st.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(f.dir, e.Name()))
		}
	}
}

// onItsWay reports whether a name is that of a marker followed by the number of the
// process that writes it.
func onItsWay(name string) bool {
	stem, pid, ok := strings.Cut(name, suffix+".")
	return ok && len(stem) == 2*12 && strings.Trim(stem, "0123456789abcdef") == "" && pid != "" && strings.Trim(pid, "0123456789") == ""
}
