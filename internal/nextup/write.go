package nextup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/refstore"
)

// maxTags bounds how many packets one day has room for.
const maxTags = 9999

// A Folder is where the packets of a work tree are.
type Folder struct {
	repo *refstore.Repo
	root *os.Root // of the work tree: nothing below leads out of it
	dir  string   // from there, with slashes
}

// A Written is a packet that is on disk, as it was read back.
type Written struct {
	Packet  string // paths from the top of the work tree; "" for a race
	Prompts string
	Sidecar string // of a race the one that there is none of
	Gate    pick.GateVerdict
}

// ErrNoTree means that there is no work tree to write into.
var ErrNoTree = errors.New("this repository has no work tree, which packets are written into")

// OpenFolder opens the folder dir of the work tree.
func OpenFolder(repo *refstore.Repo, dir string) (*Folder, error) {
	if repo.WorkTree == "" {
		return nil, ErrNoTree
	}
	root, err := os.OpenRoot(repo.WorkTree)
	if err != nil {
		return nil, err
	}
	return &Folder{repo, root, path.Clean(dir)}, nil
}

// Close ends the use of a folder.
func (f *Folder) Close() { _ = f.root.Close() }

// Race leaves a file that says that another process had the lock, under a tag
// that nobody else has, and reads it back.
func (f *Folder) Race(held refstore.Holder, at time.Time) (tag string, w Written, err error) {
	tag = at.UTC().Format(time.DateOnly) + "-race-" + admit.NewNonce()[:12]
	at = at.UTC().Truncate(time.Second)
	r := pick.Race{BlockedByPID: held.PID, AttemptedAt: &at, LockPath: f.shown(held.Path), Reason: "another process renders a packet of the same units in this work tree"}
	data, err := r.Encode()
	if err == nil {
		err = f.make()
	}
	name := path.Join(f.dir, pick.RaceName(tag))
	if err == nil {
		err = f.create(name, data)
	}
	var back []byte
	if err == nil {
		back, err = f.read(name)
	}
	if err != nil {
		return tag, w, err
	}
	was, ok := pick.ParseRace(back)
	if !ok {
		return tag, w, fmt.Errorf("%s does not hold what was written", name)
	}
	w.Sidecar = path.Join(f.dir, pick.SidecarName(tag))
	w.Gate = pick.DecideGate(pick.GateEvidence{Race: &was, Fault: errors.New("there is no packet")})
	return tag, w, nil
}

// shown is a path as others may see it: from the top of the work tree, or its
// name alone.
func (f *Folder) shown(name string) string {
	if rel, err := filepath.Rel(f.repo.WorkTree, name); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(name)
}

// Write gives the packet a tag and writes its files, the sidecar last, so that
// a packet with one is whole. It answers with what it read back, and what cannot
// be read back as it was written is removed. The caller has the lock of its lanes.
func (f *Folder) Write(ctx context.Context, p packet.Packet) (packet.Packet, Written, error) {
	if err := f.make(); err != nil {
		return p, Written{}, err
	}
	unlock, err := f.alone(ctx)
	if err != nil {
		return p, Written{}, err
	}
	defer unlock()
	f.sweep()
	p.At = p.At.UTC().Truncate(time.Second)
	if p.Tag, err = f.tag(p.At); err != nil {
		return p, Written{}, err
	}
	files, err := f.files(p)
	if err != nil {
		return p, Written{}, err
	}
	var w Written
	for i, file := range files {
		if err = f.create(file.name, file.data); err != nil {
			files = files[:i] // that file is somebody else's
			break
		}
	}
	if err == nil {
		w, err = f.confirm(p, files)
	}
	if err != nil {
		for _, file := range files {
			_ = f.root.Remove(filepath.FromSlash(file.name))
		}
		return p, Written{}, err
	}
	return p, w, nil
}

// tag is the first of its day that no file has.
func (f *Folder) tag(at time.Time) (string, error) {
	for n := 1; n <= maxTags; n++ {
		tag := fmt.Sprintf("%s-%d", at.Format(time.DateOnly), n)
		free := true
		for _, name := range f.names(tag) {
			_, err := f.root.Lstat(filepath.FromSlash(name))
			switch {
			case err == nil:
				free = false
			case !errors.Is(err, fs.ErrNotExist):
				return "", err
			}
		}
		if free {
			return tag, nil
		}
	}
	return "", fmt.Errorf("%s has %d packets of one day: remove old ones", f.dir, maxTags)
}

// names are those of the files that a tag may have: the packet, its prompts, its
// sidecar and its race.
func (f *Folder) names(tag string) [4]string {
	in := func(name string) string { return path.Join(f.dir, name) }
	return [4]string{in("next-up-" + tag + ".md"), in("next-up-" + tag + ".prompts.json"), in(pick.SidecarName(tag)), in(pick.RaceName(tag))}
}

// A file is one that is written.
type file struct {
	name string // from the top of the work tree
	data []byte
}

// files are those of a packet in the order in which they are written.
func (f *Folder) files(p packet.Packet) ([]file, error) {
	prompts := p.Prompts()
	bodies, err := packet.EncodePrompts(p.Tag, prompts)
	if err != nil {
		return nil, err
	}
	sidecar, err := p.Sidecar().Encode()
	if err != nil {
		return nil, fmt.Errorf("the sidecar cannot be written: %w", err)
	}
	names := f.names(p.Tag)
	return []file{{names[0], p.Markdown(prompts)}, {names[1], bodies}, {names[2], sidecar}}, nil
}

// confirm reads the files of a packet back and judges what they say.
func (f *Folder) confirm(p packet.Packet, files []file) (Written, error) {
	back := make([][]byte, len(files))
	for i, file := range files {
		var err error
		if back[i], err = f.read(file.name); err != nil {
			return Written{}, fmt.Errorf("sidecar_absent: it was written and cannot be read: %w", err)
		}
	}
	if err := packet.CheckPrompts(back[1], p.Tag, len(p.Picks)); err != nil {
		return Written{}, fmt.Errorf("%s: %w", files[1].name, err)
	}
	s, err := pick.ParseSidecar(back[2], p.Tag)
	if err != nil {
		return Written{}, fmt.Errorf("%s: %w: %w", files[2].name, packet.ErrPromptsCorrupt, err)
	}
	for i, file := range files {
		if !bytes.Equal(back[i], file.data) {
			return Written{}, fmt.Errorf("%s: %w: it does not hold what was written", file.name, packet.ErrPromptsCorrupt)
		}
	}
	gate := pick.DecideGate(pick.GateEvidence{Dispositions: s.Dispositions, GeneratedAt: s.GeneratedAt})
	return Written{files[0].name, files[1].name, files[2].name, gate}, gate.Err()
}

// create writes a file that must not exist; it appears whole.
func (f *Folder) create(name string, data []byte) error {
	to := filepath.FromSlash(name)
	tmp := filepath.Join(filepath.Dir(to), scratch+admit.NewNonce()+scratchEnd)
	w, err := f.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Sync(), w.Close())
	if err == nil {
		if _, there := f.root.Lstat(to); !errors.Is(there, fs.ErrNotExist) {
			err = fmt.Errorf("create %s: %w", name, fs.ErrExist)
		}
	}
	if err == nil {
		err = f.root.Rename(tmp, to)
	}
	if err != nil {
		_ = f.root.Remove(tmp)
	}
	return err
}

// read reads a regular file back.
func (f *Folder) read(name string) ([]byte, error) {
	at := filepath.FromSlash(name)
	switch st, err := f.root.Lstat(at); {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	r, err := f.root.Open(at)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b strings.Builder
	_, err = io.Copy(&b, io.LimitReader(r, maxFile))
	return []byte(b.String()), err
}

// maxFile bounds what is read back of one file.
const maxFile = 64 << 20
