package agentset

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// A file that is written whole ends with a line that says so, and what stood
// above it, so that what others changed since is known as theirs.
const (
	signBegins = "<!-- git dos init --agents "
	signEnds   = " -->\n"
)

func signed(body string) string { return body + "\n" + signBegins + sum(body) + signEnds }

func sum(body string) string {
	h := sha256.Sum256([]byte(body))
	return hex.EncodeToString(h[:8])
}

// isSigned says whether a file is as it was written here, by whichever version.
// Line ends that git has changed do not count.
func isSigned(data []byte) bool {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	body, sign, ok := cutLast(text, "\n"+signBegins)
	return ok && sign == sum(body)+signEnds
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Put writes a file, unless one is there that others wrote or changed, be it one
// without a byte. With remove set it takes it away instead.
func Put(top string, t Text, remove, dry bool) (Changed, error) {
	theirs := false
	done, err := Edit(top, t.Path, dry, func(was []byte) ([]byte, error) {
		switch {
		case was != nil && !isSigned(was):
			theirs = true
			return was, nil
		case remove:
			return nil, nil
		case strings.ReplaceAll(string(was), "\r\n", "\n") == t.Body:
			return was, nil
		}
		return []byte(t.Body), nil
	})
	if theirs {
		done.What, done.Reason = Left, "others wrote it, or changed it since"
	}
	return done, err
}
