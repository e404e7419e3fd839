package refstore

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestBothEncodingsAreTheSame: go-git encodes what sha1 repositories store, and what
// stands beside it for sha256 is the same byte for byte where both can be asked.
func TestBothEncodingsAreTheSame(t *testing.T) {
	t.Parallel()
	one, two := OID(strings.Repeat("1a", 20)), OID(strings.Repeat("2b", 20))
	same := func(what string, encode func(Format) ([]byte, error)) {
		t.Helper()
		byGoGit, err := encode(SHA1)
		if err != nil {
			t.Fatalf("%s: go-git: %v", what, err)
		}
		beside, err := encode(SHA256)
		if err != nil || !bytes.Equal(byGoGit, beside) {
			t.Errorf("%s: %v\ngo-git %q\nbeside %q", what, err, byGoGit, beside)
		}
	}
	for _, msg := range []string{"", "X g1 n1\n", "no end", "two\n\nparagraphs\n\n", "\n leading", "cr\r\nlf", "gpgsig no header\n", "tab\tü\xff\n"} {
		for _, parent := range []OID{"", two} {
			for _, at := range []time.Time{time.Unix(0, 0), time.Unix(1_700_000_000, 999), time.Unix(4_102_444_800, 0).In(time.FixedZone("east", 7200))} {
				same("commit", func(f Format) ([]byte, error) { return f.encodeCommit(one, parent, at, msg) })
			}
		}
	}
	for _, names := range [][]string{nil, {"payload.json.zst"}, {"b", "a"}, {"a.b", "a", "a-b", "aa"}} {
		var files []treeFile
		for i, name := range names {
			files = append(files, treeFile{name, []OID{one, two}[i%2]})
		}
		same("tree", func(f Format) ([]byte, error) { return f.encodeTree(files) })
	}
}
