package lane

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// maxLeaf bounds a ref leaf in bytes, and with it a lane's name.
const maxLeaf = 100

// Canonical returns the one spelling of a lane's name: case folded and in
// normal form C, so that two names a case-insensitive disk would confuse are
// the same lane. A name that could not become a ref leaf is an error.
// Canonical of a canonical name is that name.
func Canonical(name string) (string, error) {
	if err := writable(name); err != nil {
		return "", fmt.Errorf("lane name %q %w", verdict.Clip(name), err)
	}
	folded, ok := FoldName(name)
	if !ok {
		return "", fmt.Errorf("lane name %q has no stable folded form: use plain letters and digits", verdict.Clip(name))
	}
	if err := refLeaf(encode(folded)); err != nil {
		return "", fmt.Errorf("lane name %q %w", verdict.Clip(name), err)
	}
	return folded, nil
}

// CanonicalOr is the canonical name, or the name as it is where it has none.
func CanonicalOr(name string) string {
	if canonical, err := Canonical(name); err == nil {
		return canonical
	}
	return name
}

// Leaf returns the last component of the ref that stores the lane's leases:
// [a-z0-9._-], every other byte as %xx in lower-case hexadecimal. Distinct
// canonical names have distinct leaves, and a slash in a name never makes a
// directory.
func Leaf(name string) (string, error) {
	folded, err := Canonical(name)
	if err != nil {
		return "", err
	}
	return encode(folded), nil
}

// FromLeaf is the inverse of Leaf. Anything Leaf would not have written is an
// error: a ref may be named by anyone who can push.
func FromLeaf(leaf string) (string, error) {
	if len(leaf) > maxLeaf {
		return "", fmt.Errorf("ref leaf %q is longer than %d bytes", verdict.Clip(leaf), maxLeaf)
	}
	name, ok := decode(leaf)
	if !ok {
		return "", fmt.Errorf("ref leaf %q is not an encoded lane name", leaf)
	}
	again, err := Leaf(name)
	if err != nil {
		return "", fmt.Errorf("ref leaf %q: %w", leaf, err)
	}
	if again != leaf {
		return "", fmt.Errorf("ref leaf %q is not the canonical spelling, which is %q", leaf, again)
	}
	return name, nil
}

// Reserved reports whether the name belongs to the machinery itself. Such a
// lane has no tree and contends by name only.
func Reserved(name string) bool { return strings.HasPrefix(name, "_") }

// writable reports why a name cannot be shown and typed back.
func writable(name string) error {
	switch {
	case name == "":
		return errors.New("is empty")
	case len(name) > 4*maxLeaf:
		return fmt.Errorf("is longer than %d bytes", maxLeaf)
	case !utf8.ValidString(name):
		return errors.New("is not valid UTF-8")
	case strings.TrimSpace(name) != name:
		return errors.New("starts or ends with white space")
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("holds the unprintable character %U", r)
		}
	}
	return nil
}

// refLeaf reports why an encoded name cannot be a file in a ref store on
// every platform.
func refLeaf(leaf string) error {
	switch {
	case len(leaf) > maxLeaf:
		return fmt.Errorf("needs %d bytes as a ref, more than %d", len(leaf), maxLeaf)
	case leaf[0] == '.' || leaf[0] == '-':
		return errors.New("starts with a dot or a dash")
	case strings.HasSuffix(leaf, "."):
		return errors.New("ends with a dot")
	case strings.Contains(leaf, ".."):
		return errors.New(`holds ".."`)
	case strings.HasSuffix(leaf, ".lock"):
		return errors.New(`ends with ".lock", which git keeps for itself`)
	case device(leaf):
		return errors.New("is a device name on Windows")
	case slot(leaf):
		return errors.New("has the form k.<digits>, kept for the refs of undeclared lanes")
	}
	return nil
}

// device reports whether Windows would open a device in place of the file.
func device(leaf string) bool {
	base, _, _ := strings.Cut(leaf, ".")
	switch base {
	case "con", "prn", "aux", "nul", "conin%24", "conout%24":
		return true
	}
	port := strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")
	return port && len(base) == 4 && base[3] >= '0' && base[3] <= '9'
}

func slot(leaf string) bool {
	digits, ok := strings.CutPrefix(leaf, "k.")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

const hexDigits = "0123456789abcdef"

func encode(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if c := name[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}

// decode undoes encode. It also takes what encode never writes.
func decode(leaf string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(leaf); i++ {
		c := leaf[i]
		if c == '%' {
			if i+2 >= len(leaf) {
				return "", false
			}
			hi, lo := strings.IndexByte(hexDigits, leaf[i+1]), strings.IndexByte(hexDigits, leaf[i+2])
			if hi < 0 || lo < 0 {
				return "", false
			}
			c, i = byte(hi<<4|lo), i+2
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
}
