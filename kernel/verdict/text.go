package verdict

import "fmt"

// shortID is how many digits of an object id people are shown.
const shortID = 12

// Short is the start of an object id, for text that people read.
func Short(id string) string { return id[:min(len(id), shortID)] }

// Count is a number with its noun: "1 commit", "2 commits".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
