//go:build !linux && !darwin && !freebsd && !windows

package setup

import "errors"

// freeSpace is how many bytes this user can still write there.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
