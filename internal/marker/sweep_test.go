package marker

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWhatAKilledWriterLeftGoesWithTheNextMarker(t *testing.T) {
	dir := t.TempDir()
	f := Folder{dir}
	stem := filepath.Base(f.name("a run"))
	for name, c := range map[string]struct {
		age  time.Duration
		goes bool
	}{
		stem + ".4711":       {2 * time.Hour, true},
		stem + ".4712":       {time.Minute, false}, // it may be written now
		stem + ".47x":        {2 * time.Hour, false},
		stem + ".":           {2 * time.Hour, false},
		"notes.json.1":       {2 * time.Hour, false},
		"abc.json.1":         {2 * time.Hour, false},
		stem + ".4713.extra": {2 * time.Hour, false},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-c.age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if err := f.Put(Marker{RunID: "another", Nonce: "n", Keeper: Proc{PID: 1}}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); os.IsNotExist(err) != c.goes {
			t.Errorf("%s, %s old: %v", name, c.age, err)
		}
	}
	if all, unread, err := f.List(); err != nil || len(all) != 1 || len(unread) != 0 {
		t.Errorf("%v, %v, %v", all, unread, err)
	}
}
