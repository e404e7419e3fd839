package manual

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/wholefile"
)

// marker is the first line of every page made here.
const marker = `.\" Made by git dos man from its commands; git dos man install replaces it.`

// maxPages bounds how much of a folder is looked at.
const maxPages = 1 << 16

// A Change is what was done to a folder of pages. Names are those of files in
// it, sorted.
type Change struct {
	Dir     string   `json:"dir"` // absolute
	Written []string `json:"written"`
	Same    []string `json:"same"`    // stood there already, to the byte
	Removed []string `json:"removed"` // pages of commands that are no more, or all on removal
	Foreign []string `json:"foreign"` // in the way and not made here; then nothing was changed
}

// Install writes pages into dir, which is made when it is missing, and removes
// pages made here before that are not among them.
func Install(dir, prefix string, pages []Page) (Change, error) {
	c, old, err := look(dir, prefix)
	if err != nil {
		return c, err
	}
	want := map[string][]byte{}
	for _, p := range pages {
		want[p.File()] = p.Roff()
	}
	var write []string
	for name, data := range want {
		have, ours, err := readPage(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			write = append(write, name)
		case err != nil:
			return c, err
		case !ours:
			c.Foreign = append(c.Foreign, name)
		case bytes.Equal(have, data):
			c.Same = append(c.Same, name)
		default:
			write = append(write, name)
		}
	}
	slices.Sort(c.Same)
	slices.Sort(c.Foreign)
	slices.Sort(write)
	if len(c.Foreign) > 0 {
		c.Same = []string{}
		return c, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return c, err
	}
	for _, name := range write {
		if err := wholefile.Write(filepath.Join(dir, name), want[name], 0o644); err != nil {
			return c, err
		}
		c.Written = append(c.Written, name)
	}
	return c, c.remove(old, func(name string) bool { return want[name] == nil })
}

// Remove removes every page in dir that was made here.
func Remove(dir, prefix string) (Change, error) {
	c, old, err := look(dir, prefix)
	if err != nil {
		return c, err
	}
	return c, c.remove(old, func(string) bool { return true })
}

func (c *Change) remove(names []string, gone func(string) bool) error {
	for _, name := range names {
		if !gone(name) {
			continue
		}
		if err := os.Remove(filepath.Join(c.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		c.Removed = append(c.Removed, name)
	}
	return nil
}

// look finds the pages in dir that were made here.
func look(dir, prefix string) (Change, []string, error) {
	c := Change{Dir: dir, Written: []string{}, Same: []string{}, Removed: []string{}, Foreign: []string{}}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil, nil
	}
	if err != nil {
		return c, nil, err
	}
	if len(entries) > maxPages {
		return c, nil, fmt.Errorf("%s has more than %d files", dir, maxPages)
	}
	var ours []string
	for _, e := range entries {
		name, page := strings.CutSuffix(e.Name(), ".1")
		if !page || name != prefix && !strings.HasPrefix(name, prefix+"-") {
			continue
		}
		_, own, err := readPage(filepath.Join(dir, e.Name()))
		if err != nil {
			return c, nil, err
		}
		if own {
			ours = append(ours, e.Name())
		}
	}
	return c, ours, nil
}

// readPage reads a file, and says whether it is a page made here. A link is
// not, whatever it leads to.
func readPage(path string) ([]byte, bool, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return data, bytes.HasPrefix(data, []byte(marker+"\n")), err
}
