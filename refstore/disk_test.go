//go:build linux

package refstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// smallDisk mounts a file system of two megabytes.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("may not mount a small disk here: a full one is not tested: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill leaves no byte free until the returned function is called.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() { remove(t, path) }
}

func TestFullDiskIsAnErrorAndLosesNothing(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t)
	gitIn(t, disk, "init", "--quiet", "repo")
	f := localFixture(t, filepath.Join(disk, "repo"))
	id := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	ready, err := f.repo.WriteEntry(context.Background(), laneRef, id, entry("READY", 2, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	free := fill(t, disk)
	if _, err := f.update(t, 10*time.Second, laneRef); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("no room for the entry: %v", err)
	}
	o, err := transact(ctx, f.auth, []refstore.Move{{Ref: laneRef, Expect: id, New: ready}})
	if err != nil || o.Result != refstore.Unchanged || o.Words == "" && o.Err == nil {
		t.Errorf("no room for the ref: %+v, %v", o, err)
	}
	if tip := f.read(t, "lane").Tip(laneRef); tip.ID != id || tip.Err != nil {
		t.Errorf("the full disk holds %+v", tip)
	}
	free()
	f.append(t, f.repo, f.auth, laneRef, entry("MOVE", 2, `{}`))
	if got := f.read(t, "lane").Tip(laneRef).Parent; got != id {
		t.Errorf("the next entry stands on %s", got)
	}
	gitIn(t, f.raw, "fsck", "--strict", "--no-dangling")
}

func TestFullDiskOfTheServerIsNamed(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t)
	hub := hubAt(t, disk)
	r, a := cloneAuthority(t, hub, nil, "")
	f := &fixture{repo: r, auth: a, raw: hub, prefix: "refs/dos", remote: true}
	id := f.append(t, r, a, laneRef, entry("FIRST", 1, `{}`))
	free := fill(t, disk)
	_, err := f.update(t, 20*time.Second, laneRef)
	if o := outcome(t, err); o.Result == refstore.Unknown || !strings.Contains(strings.ToLower(err.Error()), "no space left") {
		t.Errorf("%s: %v", o.Result, err)
	}
	if f.rev(t, laneRef) != id {
		t.Error("the ref moved")
	}
	free()
	f.append(t, r, a, laneRef, entry("MOVE", 2, `{}`))
	gitIn(t, hub, "fsck", "--strict", "--no-dangling")
}
