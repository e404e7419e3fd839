package runid

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The vectors state what other implementations mint and decode.
func TestVectors(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "testdata", "vectors", "run_id.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var v struct {
			ID    string
			Input struct {
				Op      string
				Millis  int64 `json:"ts_ms"`
				Entropy uint32
				Token   string
			}
			Want map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		switch v.Input.Op {
		case "mint":
			r, err := Mint(v.Input.Millis, v.Input.Entropy, Lineage{Process: "loop"})
			if err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
			if r.Millis != v.Input.Millis || r.ParentID != nil {
				t.Errorf("%s: %+v", v.ID, r)
			}
			got = map[string]any{"run_id": r.RunID, "process_id": r.ProcessID, "parent_id": nil, "root_id_is_self": r.RootID == r.RunID}
		case "decode":
			ms, ok := Decode(v.Input.Token)
			got = map[string]any{"valid": ok, "ts_ms": nil}
			if ok {
				got["ts_ms"] = float64(ms)
			}
		default:
			t.Fatalf("%s: unknown op %q", v.ID, v.Input.Op)
		}
		if !reflect.DeepEqual(got, v.Want) {
			t.Errorf("%s: got %v, want %v", v.ID, got, v.Want)
		}
	}
	if n < 41 {
		t.Errorf("%d vectors, want at least 41", n)
	}
}

func TestMintLineage(t *testing.T) {
	const a, b = "RID-000000001000000", "RID-000000002000000"
	const self = "RID-000000003000000"
	tests := []struct {
		claim          string
		in             Lineage
		parent, root   string
		process, refus string
	}{
		{claim: "a run alone is its own root", in: Lineage{Process: "loop"}, root: self, process: "PROC-loop"},
		{claim: "a parent alone does not say the root", in: Lineage{Process: "loop", Parent: a}, parent: a, root: self, process: "PROC-loop"},
		{claim: "a stated root counts", in: Lineage{Process: "loop", Parent: a, Root: b}, parent: a, root: b, process: "PROC-loop"},
		{claim: "a child's root is its parent's root", in: ChildOf(Record{RunID: a, RootID: b}, "loop"), parent: a, root: b, process: "PROC-loop"},
		{claim: "a prefix is not repeated", in: Lineage{Process: "PROC-loop"}, root: self, process: "PROC-loop"},
		{claim: "a process name may be in any script", in: Lineage{Process: "schleife-ß"}, root: self, process: "PROC-schleife-ß"},
		{claim: "no process is refused", refus: "the process name is empty"},
		{claim: "a bare prefix is no process", in: Lineage{Process: "PROC-"}, refus: "the process name is empty"},
		{claim: "a blank is refused", in: Lineage{Process: " "}, refus: "blanks"},
		{claim: "a line break is refused", in: Lineage{Process: "a\nb"}, refus: "blanks"},
		{claim: "bytes that are not text are refused", in: Lineage{Process: "a\xff"}, refus: "blanks"},
		{claim: "a long name is refused", in: Lineage{Process: strings.Repeat("a", 201)}, refus: "longer than 200"},
		{claim: "a parent must be a run id", in: Lineage{Process: "loop", Parent: "x"}, refus: `parent "x" is not a run id`},
		{claim: "a root must be a run id", in: Lineage{Process: "loop", Root: "x"}, refus: `root "x" is not a run id`},
	}
	for _, tt := range tests {
		r, err := Mint(3, 0, tt.in)
		if tt.refus != "" {
			if err == nil || !strings.Contains(err.Error(), tt.refus) || r != (Record{}) {
				t.Errorf("%s: %+v, %v; want an error with %q", tt.claim, r, err, tt.refus)
			}
			continue
		}
		parent := ""
		if r.ParentID != nil {
			parent = *r.ParentID
		}
		if err != nil || r.RunID != self || parent != tt.parent || r.RootID != tt.root || r.ProcessID != tt.process {
			t.Errorf("%s: %+v (parent %q), %v", tt.claim, r, parent, err)
		}
	}
}

func TestMintRefusesATimeItCannotName(t *testing.T) {
	for _, ms := range []int64{-1, MaxMillis + 1} {
		if _, err := Mint(ms, 0, Lineage{Process: "loop"}); !errors.Is(err, ErrTime) {
			t.Errorf("Mint(%d): %v, want ErrTime", ms, err)
		}
	}
	if _, err := Mint(MaxMillis, 0, Lineage{Process: "loop"}); err != nil {
		t.Errorf("Mint(MaxMillis): %v", err)
	}
}

// FuzzOrder: an id decodes to the time it was minted at, and ids sort as their
// times do, whatever the entropy.
func FuzzOrder(f *testing.F) {
	f.Add(int64(0), uint32(0), int64(MaxMillis), uint32(1<<31))
	f.Add(int64(31), uint32(1<<30), int64(32), uint32(0))
	f.Fuzz(func(t *testing.T, ms1 int64, e1 uint32, ms2 int64, e2 uint32) {
		a, err1 := Mint(ms1, e1, Lineage{Process: "p"})
		b, err2 := Mint(ms2, e2, Lineage{Process: "p"})
		if err1 != nil || err2 != nil {
			return
		}
		if got, ok := Decode(a.RunID); !ok || got != ms1 {
			t.Fatalf("Decode(%s) = %d, %v; want %d", a.RunID, got, ok, ms1)
		}
		if ms1 != ms2 && (ms1 < ms2) != (a.RunID < b.RunID) {
			t.Fatalf("%d and %d sort as %s and %s", ms1, ms2, a.RunID, b.RunID)
		}
	})
}

// FuzzDecode: what decodes is exactly what Mint writes.
func FuzzDecode(f *testing.F) {
	f.Add("RID-1KDVDNA001QZ2HK")
	f.Add("RID-1kdvdna001qz2hk")
	f.Fuzz(func(t *testing.T, token string) {
		ms, ok := Decode(token)
		if !ok {
			return
		}
		var entropy uint32
		for i := len(prefix) + timeDigits; i < len(token); i++ {
			entropy = entropy<<5 | uint32(strings.IndexByte(alphabet, token[i]))
		}
		if r, err := Mint(ms, entropy, Lineage{Process: "p"}); err != nil || r.RunID != token {
			t.Fatalf("%q decodes, but Mint writes %q, %v", token, r.RunID, err)
		}
	})
}
