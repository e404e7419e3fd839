// Package oldledger turns the older tool's journal into rows of a ledger.
//
// Every row of the old journal is kept, as it stood unless it is very large, and
// bears a key made of its content, so that a journal that is brought over again, or has grown
// since, adds only what is new. Rows that a later question may still need, such
// as attempts and halts, become rows of the same meaning; all others, which are
// history, are put together into rows of op IMPORTED. No lease is taken over:
// who is still at work by the old journal is told, and that is all.
package oldledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/git-dos/git-dos/kernel/oldjournal"
)

// Family and Version are what an old row may say that it is.
const (
	Family  = "lane-journal"
	Version = 1
)

// ErrNewer means that a row is of a later version than this package reads. Then
// nothing of the journal is brought over.
var ErrNewer = errors.New("written by a later version of the older tool")

// ErrNone means that a path holds no journal of the older tool.
var ErrNone = errors.New("no journal of the older tool")

// A Book is an old journal that was read.
type Book struct {
	Path    string
	Corrupt int // lines that did not parse
	Foreign int // rows of another family, which are left out

	rows []row
	fold *oldjournal.Fold
}

type row struct {
	oldjournal.Entry
	key  string // by its content
	body []byte // as one line
}

// names are where a folder may have the journal.
var names = []string{filepath.Join(".dos", "lane-journal.jsonl"), "lane-journal.jsonl"}

// Find is the journal that a path names: the file itself, or that of a folder.
func Find(path string) (string, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !st.IsDir():
		return path, nil
	}
	for _, name := range names {
		file := filepath.Join(path, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%w in %s: neither %s nor %s is there", ErrNone, path, names[0], names[1])
}

// Read reads a journal.
func Read(path string) (*Book, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no file", ErrNone, path)
	}
	text, err := io.ReadAll(io.LimitReader(f, oldjournal.MaxText+1))
	if err != nil {
		return nil, err
	}
	b, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b.Path = path
	return b, nil
}

func parse(text []byte) (*Book, error) {
	entries, corrupt, err := oldjournal.Parse(text)
	if err != nil {
		return nil, err
	}
	b := &Book{Corrupt: corrupt, fold: &oldjournal.Fold{}}
	seen := map[string]int{}
	for i, e := range entries {
		family, version := schemaOf(e)
		switch {
		case family != "" && family != Family:
			b.Foreign++
			continue
		case version > Version:
			return nil, fmt.Errorf("%w: row %d is of %s %d, this git-dos reads %d", ErrNewer, i+1, Family, version, Version)
		}
		body, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		content := string(body)
		b.rows = append(b.rows, row{e, keyOf(content, seen[content]), body})
		seen[content]++
		b.fold.Add(e)
	}
	if len(text) > 0 && b.Foreign == 0 && !slices.ContainsFunc(b.rows, row.real) {
		return nil, fmt.Errorf("%w: it holds no row", ErrNone)
	}
	return b, nil
}

// real reports whether a row is one that the older tool may have written.
func (r row) real() bool {
	op := word(r.Entry["op"])
	return op != "" && op != corruptOp
}

// corruptOp is the op of a line that did not parse.
const corruptOp = "_CORRUPT"

// schemaOf is what a row says that it is; one that says nothing, or says it in
// another form, is of the first version.
func schemaOf(e oldjournal.Entry) (family string, version int64) {
	var tag struct {
		Family  string `json:"family"`
		Version int64  `json:"version"`
	}
	if json.Unmarshal(e["schema"], &tag) != nil || tag.Version < 1 {
		return "", 1
	}
	return tag.Family, tag.Version
}

// keyOf tells the rows of a journal apart by their content, and equal ones by
// how many of them came before.
func keyOf(content string, before int) string {
	sum := sha256.Sum256([]byte(content + "\x00" + strconv.Itoa(before)))
	return hex.EncodeToString(sum[:8])
}

// Rows is how many rows are to be brought over.
func (b *Book) Rows() int { return len(b.rows) }

// Doubts are the reasons why more leases may live than Leases shows.
func (b *Book) Doubts() []string { return b.fold.Doubts() }
