package refstore_test

import (
	"os"
	"testing"
)

func TestTheLoserOfALockIsToldWhoHasIt(t *testing.T) {
	dir := initRepo(t)
	one, two := open(t, dir), open(t, dir)
	unlock, held, err := one.TryLock("render.lock")
	if err != nil || held != nil || unlock == nil {
		t.Fatalf("the first asks and has %+v, %v", held, err)
	}
	if second, held, err := two.TryLock("render.lock"); err != nil || second != nil || held == nil || held.PID != int64(os.Getpid()) {
		t.Fatalf("the second asks and has %+v, %v", held, err)
	}
	if other, held, err := two.TryLock("other.lock"); err != nil || held != nil {
		t.Errorf("a lock of another name has %+v, %v", held, err)
	} else {
		other()
	}
	unlock()
	again, held, err := two.TryLock("render.lock")
	if err != nil || held != nil {
		t.Fatalf("after it was given back: %+v, %v", held, err)
	}
	again()
}

func TestALockThatNamesNobodyIsStillOne(t *testing.T) {
	dir := initRepo(t)
	unlock, _, err := open(t, dir).TryLock("render.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	path, err := open(t, dir).StateFile("render.lock")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "-4", "many", "99999999999999999999999999999999999999"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, held, err := open(t, dir).TryLock("render.lock"); err != nil || held == nil || held.PID != 0 {
			t.Errorf("%q: %+v, %v", text, held, err)
		}
	}
}
