package policy

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

func TestLinesAreRightHoweverAKeyIsWritten(t *testing.T) {
	file := strings.Join([]string{
		/* 1 */ `lease.ttl = "20m"`,
		/* 2 */ `lease . "margin" = 40`,
		/* 3 */ `plans = { a = "docs",`,
		/* 4 */ `  b = "docs" }`,
		/* 5 */ `account = [`,
		/* 6 */ `  { name = "x", env = { A = "1" } },`,
		/* 7 */ `  { name = "y",`,
		/* 8 */ `    tier = 2 },`,
		/* 9 */ `]`,
		/* 10 */ `[[concurrency_class]]`,
		/* 11 */ `name = "a"`,
		/* 12 */ `max_concurrent = 1`,
		/* 13 */ `[[concurrency_class]]`,
		/* 14 */ `max_concurrent = 2`,
		/* 15 */ `name = "b"`,
		/* 16 */ `[ gates . lease_fence ]`,
		/* 17 */ `mode = """`,
		/* 18 */ `warn"""`,
		/* 19 */ `[lanes.trees]`,
		/* 20 */ `"a.b" = ["x"]`,
	}, "\n")
	p := mustParse(t, file)
	want := map[string]int{
		"lease.ttl": 1, "lease.margin": 2, "plans.a": 3, "plans.b": 4,
		"account[0].name": 6, "account[0].env.A": 6, "account[1].name": 7, "account[1].tier": 8,
		"concurrency_class[0].name": 11, "concurrency_class[0].max_concurrent": 12,
		"concurrency_class[1].max_concurrent": 14, "concurrency_class[1].name": 15,
		"gates.lease_fence.mode": 17, `lanes.trees."a.b"`: 20,
	}
	if !reflect.DeepEqual(p.lines, want) {
		t.Errorf("lines\n got %v\nwant %v", p.lines, want)
	}
	if p.Gates.Mode("lease_fence") != GateWarn || p.Accounts[0].Env["A"] != "1" || p.Accounts[1].Tier != 2 {
		t.Errorf("values misread: %+v", p)
	}
}

// definitions are documents that differ in what they define twice. Whether
// each is legal is go-toml's to say.
var definitions = []string{
	"", "a = 1", "a = 1\na = 2", "a.b = 1\na.c = 2", "a.b = 1\na.b = 2", "a = 1\na.b = 2", "a.b = 1\na = 2",
	"[a]\n[a]", "[a]\n[a.b]\n[a.c]", "[a.b]\n[a]", "[a.b]\n[a]\n[a]", "[a.b]\n[a]\nb = 1", "[a.b]\n[a]\nb.c = 1",
	"[a]\nb.c = 1\n[a.b]", "[a]\nb.c = 1\n[a.b.d]", "[a]\nb.c = 1\n[a.b.c]", "a = {}\n[a]", "a = {}\n[a.b]", "a = {}\na.b = 1",
	"a = { b = 1, b = 2 }", "a = { b.c = 1, b.d = 2 }", "a = { b = {}, b.d = 2 }", "a = { b.c = 1, b.c = 2 }", "a = [{ b = 1, b = 2 }]",
	"a = [{ b = 1 }, { b = 2 }]", "[[a]]\n[[a]]", "[[a]]\nb = 1\n[[a]]\nb = 2", "[[a]]\n[a]", "[a]\n[[a]]", "a = []\n[[a]]", "a = [{}]\n[a.b]", "a = [{}]\n[[a]]", "[[a]]\n[a.b]\n[[a]]\n[a.b]",
	"[[a]]\n[a.b]\n[a.b]", "[[a]]\n[[a.b]]\n[[a.b]]", "[[a]]\n[a.b]\n[[a.b]]", "[a.b]\n[[a]]", "[[a.b]]\n[a]\nc = 1", "[a]\n[b]\n[a.c]\n[a]",
	"a.b = 1\n[a]", "a.b = 1\n[a.c]", "a.b = 1\n[[a]]", "a.b = 1\n[a.b]", "\"a\" = 1\na = 2", "'a'.b = 1\na.\"b\" = 2", "[a]\nx = 1\n[b]\nx = 1",
	"a = 0x_1", "a = 0b11\nb = 0o17\nc = 1_000", "a = 0xffffffffffffffffff", "a = -9223372036854775808", "a = 9223372036854775808", "a = 1e400", "a = [1, [2, [3]]]",
}

// broken says whether the file breaks a rule of TOML, whatever its keys mean.
func broken(file string) bool {
	var c collector
	data, errs := screen([]byte(file))
	if errs != nil {
		return true
	}
	readDocument(data, &c)
	return c.errors() != nil
}

func TestDefiningTwiceIsWhatTOMLSaysItIs(t *testing.T) {
	legal := 0
	for _, file := range definitions {
		var v map[string]any
		err := toml.Unmarshal([]byte(file), &v)
		if got := broken(file); got != (err != nil) {
			t.Errorf("%q: broken %v, go-toml says %v", file, got, err)
		}
		if err == nil {
			legal++
		}
	}
	if legal < 15 || len(definitions)-legal < 15 {
		t.Errorf("%d of %d legal, the list proves too little", legal, len(definitions))
	}
}

func TestNestingIsBounded(t *testing.T) {
	deep := func(n int) string { return "plan = " + strings.Repeat("[", n) + strings.Repeat("]", n) }
	long := func(n int) string { return "plan" + strings.Repeat(".a", n-1) + " = 1" }
	tests := []struct {
		claim, file string
		refused     bool
	}{
		{"values up to the limit", deep(maxNesting), false},
		{"values beyond", deep(maxNesting + 1), true},
		{"keys up to the limit", long(maxKeyParts), false},
		{"keys beyond", long(maxKeyParts + 1), true},
		{"headers beyond", "[plan" + strings.Repeat(".a", maxKeyParts) + "]", true},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := problems(t, tt.file); (got != nil) != tt.refused {
				t.Errorf("got %q", got)
			}
		})
	}
}
