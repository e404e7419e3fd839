// Package shipindex keeps, for the history of a commit, the little of each
// commit that may bear on any unit, so that a question is answered from a file
// instead of a walk.
//
// A segment is one immutable file named by a key and by its tip. It holds the
// rows of base..tip, or of all that tip reaches when it has no base; a tip's
// chain is its segment, its base's segment, and so on to one without a base.
// Rows lie in blocks: a filter of the short sequences in the block's
// search text, the ids, the folded search text, and the rest. A search reads
// the filters, unpacks the text of the blocks that may match, and decodes only
// the rows that do.
//
// The index is a cache and never a witness: what a name holds follows from the
// key and the tip, so any two writers of a name are both right and need no
// lock. Every part is checked before it is used. What is missing, torn, foreign
// or damaged is ErrNoIndex, and the caller walks the history instead. Nothing
// is synced to disk, because a file that a crash left in part is such a file.
package shipindex

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// ErrNoIndex is returned where no complete and sound chain answers for a tip.
// Rows that were yielded before it are not an answer.
var ErrNoIndex = errors.New("no usable ship index")

// ErrNotWritten is returned by [Writer.Commit] when nothing was stored: the
// directory cannot be written, the disk is full, or the base is gone. The
// answer that the rows gave is as good without it.
var ErrNotWritten = errors.New("the ship index was not written")

// layout names the bytes of a segment. A change of layout is a change of name.
const layout = "git-dos ship index 2\x00"

// Bounds on what is looked at in a directory that others may write to.
const (
	maxListed = 4096
	maxFiles  = 64
	maxChain  = 64
)

// A Key says what the rows were made by. Segments of different keys know
// nothing of each other.
type Key struct {
	Format refstore.Format
	Digest [sha256.Size]byte // of the grammar, the policy and the meaning of a row
}

// An Index is the segments of one key in one directory. It holds nothing open
// and may be used by any number of goroutines and processes.
type Index struct {
	dir   string
	key   [sha256.Size]byte
	idLen int
}

// Open names an index. Nothing is read or made before it is needed.
func Open(dir string, key Key) *Index {
	ix := &Index{dir: dir, idLen: 20}
	if key.Format == refstore.SHA256 {
		ix.idLen = 32
	}
	ix.key = sha256.Sum256(slices.Concat([]byte(layout), []byte(key.Format), []byte{0}, key.Digest[:]))
	return ix
}

// Have reports whether a complete chain of sound-looking segments answers for
// tip. Damage inside a segment shows only when it is searched.
func (ix *Index) Have(tip refstore.OID) bool {
	c, err := ix.open(tip)
	if err == nil {
		c.close()
	}
	return err == nil
}

// Candidates lists the tips whose chains are as Have wants them, the most
// recently written first, at most 64. They may be of any branch.
func (ix *Index) Candidates() []refstore.OID {
	root, err := ix.root()
	if err != nil {
		return nil
	}
	defer root.Close()
	var tips []refstore.OID
	lengths := map[refstore.OID]int{}
	for _, f := range list(root) {
		if len(tips) == maxFiles {
			break
		}
		if tip, ok := ix.tipOf(f.name); ok && ix.chainLength(root, tip, lengths, maxChain) > 0 {
			tips = append(tips, tip)
		}
	}
	return tips
}

// chainLength counts the segments of a chain, 0 for one that cannot be used or
// has more than limit. What it learns of each segment it keeps in known.
func (ix *Index) chainLength(root *os.Root, tip refstore.OID, known map[refstore.OID]int, limit int) int {
	if n, ok := known[tip]; ok || limit == 0 {
		return n
	}
	n := 0
	if s, err := ix.openSegment(root, tip); err == nil {
		s.f.Close()
		if s.base == "" {
			n = 1
		} else if below := ix.chainLength(root, s.base, known, limit-1); below > 0 && below < maxChain {
			n = below + 1
		}
	}
	known[tip] = n
	return n
}

// root opens the directory, which may not be a link to another. No name in it
// can lead out of it either.
func (ix *Index) root() (*os.Root, error) {
	st, err := os.Lstat(ix.dir)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, errors.New("not a directory")
	}
	return os.OpenRoot(ix.dir)
}

// name is the file of a tip's segment.
func (ix *Index) name(tip refstore.OID) string { return ix.prefix() + string(tip) }

func (ix *Index) prefix() string { return hex.EncodeToString(ix.key[:8]) + "-" }

func (ix *Index) tipOf(name string) (refstore.OID, bool) {
	id, ok := strings.CutPrefix(name, ix.prefix())
	tip, valid := refstore.ParseOID(id)
	return tip, ok && valid && len(tip) == 2*ix.idLen
}

// A listed file is a regular file of the directory.
type listed struct {
	name  string
	size  int64
	mtime time.Time
}

// list returns the files of the directory, the most recently written first. Of
// a directory with very many, some are left out.
func list(root *os.Root) []listed {
	dir, err := root.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(maxListed)
	var files []listed
	for _, e := range entries {
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() {
			files = append(files, listed{st.Name(), st.Size(), st.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b listed) int {
		if c := b.mtime.Compare(a.mtime); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return files
}

// openRegular opens a file for reading. What is not a regular file, such as a
// pipe that would never answer, is refused before it is opened.
func openRegular(root *os.Root, name string) (*os.File, int64, error) {
	st, err := root.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !st.Mode().IsRegular() {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, 0, err
	}
	if st, err = f.Stat(); err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}
