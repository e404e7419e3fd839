package hookset

import (
	"fmt"
	"path/filepath"
)

// A spot is one hook of one folder, with all the names it may be found under:
// pre-commit moves a hook it finds to NAME.legacy and runs it from there,
// lefthook moves it to NAME.old and does not.
type spot struct {
	dir, name               string
	now, saved, legacy, old hookFile
}

func readSpot(dir, name string) (s spot, err error) {
	s = spot{dir: dir, name: name}
	for suffix, f := range map[string]*hookFile{"": &s.now, savedSuffix: &s.saved, ".legacy": &s.legacy, ".old": &s.old} {
		if *f, err = readHook(filepath.Join(dir, name+suffix)); err != nil {
			return s, err
		}
	}
	for _, f := range []hookFile{s.now, s.saved} {
		if f.odd {
			return s, fmt.Errorf("%s is neither a file nor a link: move it away", f.path)
		}
	}
	return s, nil
}

// behind reports whether another tool runs our file from where it moved it to.
func (s spot) behind() bool {
	return toolOf(s.now.data) == "pre-commit" && s.legacy.claim == ours && s.legacy.shim.Hook == s.name
}

// displaced is our file where another tool has moved it, nil when it is not.
func (s spot) displaced() *hookFile {
	for _, f := range []*hookFile{&s.legacy, &s.old} {
		if f.claim == ours || f.claim == crlf {
			return f
		}
	}
	return nil
}

// retire takes our file away from where it stands, and puts the hook it chained
// there in its place: the folder is then as the other tool would have left it
// without us.
func (s spot) retire(f *hookFile) error {
	if f.shim.Chained != s.name+savedSuffix || !s.saved.exists {
		return remove(f.path)
	}
	if alike, err := s.saved.same(s.now); err != nil {
		return err
	} else if alike && f.path != s.now.path {
		// The tool made its own hook anew: what it moved aside was its own.
		if err := remove(f.path); err != nil {
			return err
		}
		return remove(s.saved.path)
	}
	return rename(s.saved.path, f.path)
}
