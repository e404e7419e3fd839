//go:build !linux

package host

func process(int64) (Proc, error) { return Proc{}, ErrUnsupported }
