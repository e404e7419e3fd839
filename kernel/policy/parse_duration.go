package policy

import (
	"errors"
	"math"
	"strconv"
	"time"
)

// ParseDuration reads a duration as dos.toml writes it: whole seconds, or a
// number with one of the suffixes s, m, h and d. Flags take the same form.
func ParseDuration(s string) (time.Duration, error) {
	n := &node{kind: stringKind, text: s}
	if digitsOnly(s) {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			v = math.MaxInt64
		}
		n = &node{kind: intKind, num: v}
	}
	d, f := readDuration(n)
	if f != nil {
		return 0, errors.New(f.message)
	}
	return d, nil
}
