package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown bounds how much of a name or value of the file a message repeats.
const maxShown = 60

// clip shortens a printable text for a message.
func clip(s string) string {
	if len(s) > maxShown {
		return s[:maxShown] + "..."
	}
	return s
}

// quoted is a text of the file for a message, shortened and in quotes, with
// what a terminal might act on escaped.
func quoted(s string) string {
	if len(s) > maxShown {
		return fmt.Sprintf("%q...", strings.ToValidUTF8(s[:maxShown], ""))
	}
	return fmt.Sprintf("%q", s)
}

// bareOrQuoted spells one part of a key for messages, shortened.
func bareOrQuoted(name string) string {
	if isBare(name[:min(len(name), maxShown)]) {
		return clip(name)
	}
	return quoted(name)
}

func isBare(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// tomlString is s as a TOML basic string, whatever s holds. Bytes that are
// not UTF-8 become the replacement character.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == utf8.RuneError || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// tomlKey is one part of a key as TOML.
func tomlKey(name string) string {
	if isBare(name) {
		return name
	}
	return tomlString(name)
}

// tomlList is a list of strings as TOML.
func tomlList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = tomlString(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
