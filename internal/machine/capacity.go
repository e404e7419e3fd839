package machine

import (
	"context"
	"runtime"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"

	"github.com/git-dos/git-dos/kernel/fleet"
)

// Capacity finds out what the machine can bear. dir is where workers write.
// What cannot be found out stays nil, which bounds nothing: the guard and the
// number of workers that is configured still do.
func Capacity(ctx context.Context, dir string, threads int64) fleet.Host {
	cores := int64(runtime.NumCPU())
	h := fleet.Host{Cores: &cores}
	if threads > 0 {
		h.Threads = &threads
	}
	if m, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		h.FreeMB = mebibytes(m.Available)
	}
	if u, err := disk.UsageWithContext(ctx, dir); err == nil {
		h.DiskMB = mebibytes(u.Free)
		if u.InodesTotal > 0 { // some filesystems have no such bound
			n := int64(min(u.InodesFree, 1<<62))
			h.Inodes = &n
		}
	}
	return h
}

func mebibytes(n uint64) *int64 {
	mb := int64(n >> 20)
	return &mb
}
