package refstore

import (
	"io/fs"
	"syscall"
)

// made identifies a directory beyond its name, for as long as it is there: a
// copy was made at another time.
func made(st fs.FileInfo) uint64 {
	if s, ok := st.Sys().(*syscall.Win32FileAttributeData); ok {
		return uint64(s.CreationTime.Nanoseconds())
	}
	return 0
}
