package resume

import "strings"

// leastPrefix is how many digits of a commit's id are enough to mean it.
const leastPrefix = 7

// SameSha reports whether two recorded ids mean the same commit: they are
// equal, or one is the start of the other and long enough. Blanks around them
// and capitals make no difference.
func SameSha(a, b string) bool {
	a, b = foldSha(a), foldSha(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	return a != "" && (a == b || len(a) >= leastPrefix && strings.HasPrefix(b, a))
}

func foldSha(sha string) string { return strings.ToLower(strings.TrimSpace(sha)) }

// isFullSha reports whether an id is written out, as every id is that this tool
// records.
func isFullSha(sha string) bool {
	return (len(sha) == 40 || len(sha) == 64) && strings.Trim(sha, "0123456789abcdef") == ""
}
