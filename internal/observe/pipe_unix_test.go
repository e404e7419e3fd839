//go:build unix

package observe

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestAPipeKeepsNobodyWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if m := At(path).read(); m.Seen != nil {
		t.Errorf("%+v", m)
	}
}
