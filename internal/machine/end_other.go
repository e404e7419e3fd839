//go:build !linux

package machine

import "github.com/git-dos/git-dos/internal/host"

func leads(Owned) bool { return false }

// holdOn holds on to nothing: package host names no process here.
func holdOn(host.Proc) (hold, error) { return nil, ErrUnnamed }
