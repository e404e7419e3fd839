package productivity

import (
	"fmt"
	"strconv"
)

// maxNumbers bounds what is judged at once.
const maxNumbers = 100_000

// Parse reads the numbers of a row that is called name. Each is whole, and an
// error names the one that is not.
func Parse(name string, words []string) ([]int64, error) {
	if len(words) > maxNumbers {
		return nil, fmt.Errorf("%s has %d numbers, more than %d", name, len(words), maxNumbers)
	}
	list := make([]int64, 0, len(words))
	for i, w := range words {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s[%d] is not a whole number that fits: %.80q", name, i, w)
		}
		list = append(list, n)
	}
	return list, notNegative(name, list)
}
