package leak

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTextThatIsNotJudged(t *testing.T) {
	s := scanner(t)
	many := bytes.Repeat([]byte(split("10.20|.30.44\n")), maxHits+1)
	for _, tt := range []struct {
		claim string
		text  []byte
		want  error
	}{
		{"too long", make([]byte, MaxText+1), ErrTooLong},
		{"too much in it", many, ErrTooMany},
		{"one line less", many[:maxHits*len(split("10.20|.30.44\n"))], nil},
		{"made of words", bytes.Repeat([]byte(everyWord(t)+"\n"), 400), ErrCostly},
	} {
		if hits, err := s.Scan(tt.text); !errors.Is(err, tt.want) || err != nil && hits != nil {
			t.Errorf("%s: %d hits, %v; want %v", tt.claim, len(hits), err, tt.want)
		}
	}
}

// everyWord has every word, each followed by what makes its rules likely.
func everyWord(t testing.TB) string {
	var b strings.Builder
	for _, r := range rules(t).rules {
		for _, w := range r.Words {
			b.WriteString(w + "=" + strings.Repeat("0a", 24))
		}
	}
	return b.String()
}

func TestOfTwoRulesTheMoreTellingSaysIt(t *testing.T) {
	text := split(`github_token = "ghp|_x4Tq9LmZ0aB7cWd2EfR5gHs8JkN1pVyUo6iQ"`)
	for _, s := range []*Scanner{scanner(t), scanner(t).Prose()} {
		if hits := scan(t, s, text); len(hits) != 1 || hits[0].Rule != "github-pat" {
			t.Errorf("%+v, want one hit of github-pat", hits)
		}
	}
}

func TestAssignmentInProseIsTheGenericRules(t *testing.T) {
	if hits := scan(t, scanner(t).Prose(), split(`api_key = "9f8s7dG|6h5j4Kl3q2w1e0"`)); len(hits) != 1 || hits[0].Rule != genericRule {
		t.Errorf("%+v, want one hit of %s", hits, genericRule)
	}
}

// Windows on a long line are cut, and go on where the next word stands.
func TestSecretIsFoundWhereverALineIsCut(t *testing.T) {
	secret := split(`api_key="9f8s7dG|6h5j4Kl3q2w1e0" `)
	fill := strings.Repeat("key=0000000000000001 ", 450)
	for at := mostReach - 300; at < mostReach+300; at += 23 {
		for _, after := range []string{"", fill} {
			if hits := scan(t, scanner(t), fill[:at]+" "+secret+after); len(hits) != 1 || hits[0].End-hits[0].Start != 21 {
				t.Fatalf("%+v of what stands at %d, with %d bytes after it; want one whole hit", hits, at, len(after))
			}
		}
	}
}

func TestLineOfAnyLengthIsScanned(t *testing.T) {
	secret := split(`api_key="9f8s7dG|6h5j4Kl3q2w1e0"`)
	fill := strings.Repeat("key: x, ", 100_000)
	for _, text := range []string{secret + fill, fill + secret, fill + secret + fill} {
		if hits := scan(t, scanner(t), text); len(hits) != 1 || hits[0].Column != strings.Index(text, secret)+10 {
			t.Errorf("%+v, want one hit in column %d", hits, strings.Index(text, secret)+10)
		}
	}
}

// FuzzScan holds any text to: no panic, lines and columns that say where the
// hit stands, hits of one kind that share no byte, nothing shown in full, and
// the same answer twice.
func FuzzScan(f *testing.F) {
	f.Add([]byte(split("a\nid: AKIA|Q3EGRT5WBNZ7XLFD, 10.20|.30.44\n/home|/ann/x")), true)
	f.Add([]byte(split("-----BEGIN RSA PRIVATE| KEY-----\n")+keyBody+"-----END RSA PRIVATE KEY-----"), false)
	f.Add([]byte("curl -u 'a:bcd' \\\r\n\xff\x00 ~/x \\\\srv\\x C:\\Users\\x\\y x@y.zz"), true)
	f.Fuzz(func(t *testing.T, text []byte, prose bool) {
		s := scanner(t)
		if prose {
			s = s.Prose()
		}
		hits, err := s.Scan(text)
		if err != nil {
			if hits != nil {
				t.Fatal("hits beside an error")
			}
			return
		}
		again, _ := s.Scan(text)
		if len(again) != len(hits) {
			t.Fatalf("%d hits, then %d", len(hits), len(again))
		}
		ends := map[Kind]int{}
		for i, h := range hits {
			found := string(text[h.Start:h.End])
			lines := bytes.Split(text[:h.Start], []byte("\n"))
			switch {
			case h != again[i]:
				t.Fatalf("%+v, then %+v", h, again[i])
			case h.Start >= h.End || h.Start < ends[h.Kind]:
				t.Fatalf("%+v starts before %d", h, ends[h.Kind])
			case h.Line != len(lines) || h.Column != len(lines[len(lines)-1])+1:
				t.Fatalf("%+v stands in line %d", h, len(lines))
			case len(found) > 3 && strings.Contains(h.Masked, found):
				t.Fatalf("%q shows %q", h.Masked, found)
			}
			ends[h.Kind] = h.End
		}
	})
}

// BenchmarkLines scans what git log -p adds, block by block as a gate does:
// half a million bytes of what looks like code.
func BenchmarkLines(b *testing.B) {
	s := scanner(b)
	blocks, size := codeBlocks()
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, block := range blocks {
			if _, err := s.ScanAt("pkg/file.go", 1, block); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkFirst is what the first scan of a process costs beyond the scan.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		set, err := readRules(rulesText, ownRules())
		if err != nil {
			b.Fatal(err)
		}
		s := &Scanner{set: set}
		if _, err := s.Scan([]byte("api_key = config.get(\"name\") // see the token in auth/key.go\n")); err != nil {
			b.Fatal(err)
		}
	}
}

func codeBlocks() (blocks [][]byte, size int) {
	dice := rand.New(rand.NewPCG(5, 6))
	lines := []string{
		"\tif err := s.write(ctx, key, value); err != nil {", "\t\treturn fmt.Errorf(\"read %s: %w\", name, err)", "\t}", "",
		"// token returns the next token, and whether there is one.", "func (p *parser) token() (Token, bool) {",
		"import { auth } from '../lib/auth/session';", "  const access = await api.list({ key: user.id, limit: 100 });",
		"- The password is never stored; see docs/secrets.md for what is.", "\tfor i := range entries {", "\"integrity\": \"sha512\",",
		"    self.assertEqual(response.status_code, 200)", "sk := make([]byte, 32)", "test_that_the_key_is_there = True",
	}
	for range 1000 {
		var block []byte
		for range 1 + dice.IntN(20) {
			block = append(append(block, lines[dice.IntN(len(lines))]...), '\n')
		}
		blocks = append(blocks, block)
		size += len(block)
	}
	return blocks, size
}
