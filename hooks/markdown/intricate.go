package markdown

import "bytes"

// What a document may cost. The parser takes a time that grows with the square of
// the marks in one block, and of the quotes that a line stands in.
const (
	maxPairs  = 6000 * 6000
	maxQuotes = 200
)

// intricate reports whether a document would take too long to read: seconds, where
// those that people write take milliseconds.
func intricate(source []byte) bool {
	brackets, stars, pairs := 0, 0, 0
	for line := range bytes.Lines(source) {
		if len(bytes.TrimSpace(line)) == 0 {
			pairs += brackets*brackets + stars*stars
			brackets, stars = 0, 0
			continue
		}
		brackets += bytes.Count(line, []byte("["))
		stars += bytes.Count(line, []byte("*")) + bytes.Count(line, []byte("_"))
		if quotes(line) > maxQuotes || pairs+brackets*brackets+stars*stars > maxPairs {
			return true
		}
	}
	return false
}

// quotes is how many quotes a line begins with.
func quotes(line []byte) (n int) {
	for _, b := range line {
		switch b {
		case '>':
			n++
		case ' ', '\t':
		default:
			return n
		}
	}
	return n
}
