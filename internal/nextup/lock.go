package nextup

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/refstore"
)

// The locks of those that render into one work tree, and of those that write into
// its folder.
const (
	renderLock = "next-up"
	folderLock = "packets.lock"
)

// lockNames are the locks of a scope: one for each of its lanes, and without any
// that of a packet of all units. They are in order, so that two renderers never
// wait for each other.
func lockNames(scope []string) ([]string, error) {
	if len(scope) == 0 {
		return []string{renderLock + ".lock"}, nil
	}
	var names []string
	for _, name := range scope {
		leaf, err := lane.Leaf(name)
		if err != nil {
			return nil, err
		}
		names = append(names, renderLock+"."+leaf+".lock")
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Lock makes this process the only one that renders a packet of these lanes here, of
// none the only one that renders a packet of all units. Where another is at one of
// them already, held says which. Packets of other lanes are nobody's race.
func (f *Folder) Lock(scope []string) (unlock func(), held *refstore.Holder, err error) {
	names, err := lockNames(scope)
	if err != nil {
		return nil, nil, err
	}
	var had []func()
	unlock = func() {
		for _, free := range had {
			free()
		}
	}
	for _, name := range names {
		free, held, err := f.repo.TryLock(name)
		if err != nil || held != nil {
			unlock()
			return nil, held, err
		}
		had = append(had, free)
	}
	return unlock, nil, nil
}

// folderPatience bounds the wait for another that writes into the folder, which
// takes an instant.
var folderPatience = 30 * time.Second

// alone makes this process the only one that writes into the folder: two that write
// at once would give their packets one tag.
func (f *Folder) alone(ctx context.Context) (unlock func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, folderPatience)
	defer cancel()
	unlock, err = f.repo.LockShared(waiting, folderLock)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = fmt.Errorf("another process has been writing a packet in this repository for %s: see what it waits for, or end it", folderPatience)
	}
	return unlock, err
}
