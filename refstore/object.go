package refstore

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/klauspost/compress/zlib"
)

// The identity of every entry. It is ours, so that a repository without
// user.name can still take a lease.
const (
	authorName  = "git-dos"
	authorEmail = "git-dos@localhost"
)

type treeFile struct {
	name string
	blob OID
}

// encodeTree returns the bytes of a tree of regular files.
func (f Format) encodeTree(files []treeFile) ([]byte, error) {
	slices.SortFunc(files, func(a, b treeFile) int { return strings.Compare(a.name, b.name) })
	if f == SHA1 {
		t := &object.Tree{}
		for _, e := range files {
			t.Entries = append(t.Entries, object.TreeEntry{Name: e.name, Mode: filemode.Regular, Hash: plumbing.NewHash(string(e.blob))})
		}
		return encodeObject(t)
	}
	var b bytes.Buffer
	for _, e := range files {
		raw, err := hex.DecodeString(string(e.blob))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "100644 %s\x00%s", e.name, raw)
	}
	return b.Bytes(), nil
}

// encodeCommit returns the bytes of an entry's commit.
func (f Format) encodeCommit(tree, parent OID, at time.Time, msg string) ([]byte, error) {
	if f == SHA1 {
		who := object.Signature{Name: authorName, Email: authorEmail, When: at.UTC()}
		c := &object.Commit{Author: who, Committer: who, Message: msg, TreeHash: plumbing.NewHash(string(tree))}
		if parent != "" {
			c.ParentHashes = []plumbing.Hash{plumbing.NewHash(string(parent))}
		}
		return encodeObject(c)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	if parent != "" {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	who := fmt.Sprintf("%s <%s> %d +0000", authorName, authorEmail, at.Unix())
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", who, who, msg)
	return b.Bytes(), nil
}

func encodeObject(o object.Object) ([]byte, error) {
	m := &plumbing.MemoryObject{}
	if err := o.Encode(m); err != nil {
		return nil, err
	}
	r, err := m.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(r)
	return b.Bytes(), err
}

// writeObject stores a loose object and returns its id. The object is complete
// before it gets its name; a crash leaves at most a tmp_obj_ file, which git
// gc removes. One that is there already and is damaged is written again.
func (r *Repo) writeObject(kind string, body []byte) (OID, error) {
	header := fmt.Appendf(nil, "%s %d\x00", kind, len(body))
	var h hash.Hash = sha1.New()
	if r.Format == SHA256 {
		h = sha256.New()
	}
	h.Write(header)
	h.Write(body)
	id := OID(hex.EncodeToString(h.Sum(nil)))
	dir := filepath.Join(r.Objects, string(id[:2]))
	path := filepath.Join(dir, string(id[2:]))
	if now := time.Now(); intact(path, header, body) && os.Chtimes(path, now, now) == nil {
		return id, nil // as young as a new one, so that git gc spares it
	}
	bits := r.sharedBits()
	tmp, err := tempObject(dir, bits)
	if err != nil {
		return "", fmt.Errorf("write object: %w", err)
	}
	err = errors.Join(deflate(tmp, header, body), r.syncObject(tmp), shareFile(tmp, bits), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return "", fmt.Errorf("write object: %w", err)
	}
	return id, nil
}

// intact reports whether a loose object is there and holds exactly the parts.
func intact(path string, parts ...[]byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return false
	}
	want := bytes.Join(parts, nil)
	got, err := io.ReadAll(io.LimitReader(z, int64(len(want))+1))
	return err == nil && bytes.Equal(got, want)
}

// tempObject creates a file in an object directory. It makes the directory as
// often as git gc removes it again for being empty.
func tempObject(dir string, bits os.FileMode) (f *os.File, err error) {
	for range 100 {
		if err := os.Mkdir(dir, 0o777); err == nil {
			shareDir(dir, bits)
		} else if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f, err = os.OpenFile(filepath.Join(dir, "tmp_obj_"+newAttempt()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, err
}

// diskBlock is what a file takes on most disks, however short it is.
const diskBlock = 4 << 10

// deflate writes parts to a file as git has them. In what fits into a block of the
// disk anyway it looks for no repetitions: the tables for that take longer to set up
// than an entry takes to be written.
func deflate(f *os.File, parts ...[]byte) error {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	level := zlib.HuffmanOnly
	if size > diskBlock {
		level = zlib.BestSpeed
	}
	z, err := zlib.NewWriterLevel(f, level)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := z.Write(p); err != nil {
			return err
		}
	}
	return z.Close()
}

// syncObject flushes a new object to the disk when core.fsync names loose
// objects, as git would.
func (r *Repo) syncObject(f *os.File) error {
	c, err := r.Config()
	if err != nil || !c.syncsLooseObjects() {
		return err
	}
	return f.Sync()
}

// syncsLooseObjects evaluates core.fsync: a comma list of components where "-x"
// takes x away, on top of git's default, which leaves loose objects out.
func (c Config) syncsLooseObjects() bool {
	on := false
	if old := strings.ToLower(c.Get("core.fsyncobjectfiles")); old == "true" || old == "yes" || old == "on" || old == "1" {
		on = true
	}
	for word := range strings.SplitSeq(c.Get("core.fsync"), ",") {
		switch strings.TrimSpace(word) {
		case "loose-object", "objects", "committed", "added", "all":
			on = true
		case "none", "-loose-object", "-objects", "-committed", "-added", "-all", "default":
			on = false
		}
	}
	return on
}

// sharedBits returns the permission bits that core.sharedRepository adds for
// group and others, 0 when it is off.
func (r *Repo) sharedBits() os.FileMode {
	c, err := r.Config()
	if err != nil {
		return 0
	}
	switch v := strings.ToLower(c.Get("core.sharedrepository")); v {
	case "group", "true", "1":
		return 0o060
	case "all", "world", "everybody", "2":
		return 0o064
	default:
		n, err := strconv.ParseUint(v, 8, 32)
		if err != nil || n <= 7 {
			return 0
		}
		return os.FileMode(n) & 0o066
	}
}

func shareFile(f *os.File, bits os.FileMode) error {
	if bits == 0 {
		return nil
	}
	return f.Chmod(0o444&(0o400|bits) | 0o400)
}

// shareDir opens a new directory to those the repository is shared with. It is
// best effort, as git's own is: the write itself has not failed.
func shareDir(path string, bits os.FileMode) {
	if bits != 0 {
		_ = os.Chmod(path, 0o700|bits|bits>>2&0o011|os.ModeSetgid)
	}
}
