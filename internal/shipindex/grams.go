package shipindex

import "math/bits"

// grams is the set of three-byte sequences of a text, hashed into a table of
// 2^n bits with n from minGrams to maxGrams. It may say that a sequence is
// there which is not, never the reverse.
type grams []byte

const (
	minGrams = 10
	maxGrams = 20
)

// gramsLog sizes the table of a text: half a bit for each byte or less, since
// sequences come again.
func gramsLog(size int) int {
	return min(max(bits.Len(uint(size))-2, minGrams), maxGrams)
}

func gramsLen(log int) int { return 1 << log / 8 }

func gramsOf[T ~string | ~[]byte](text T) grams {
	log := gramsLog(len(text))
	g := make(grams, gramsLen(log))
	for i := 0; i+3 <= len(text); i++ {
		h := gram(text[i], text[i+1], text[i+2]) >> (32 - log)
		g[h/8] |= 1 << (h % 8)
	}
	return g
}

func gram(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9E3779B1
}

// may is false when the text does not contain s. Nothing is known of a text
// shorter than a sequence.
func (g grams) may(s string) bool {
	shift := 32 - bits.TrailingZeros(uint(len(g)*8))
	for i := 0; i+3 <= len(s); i++ {
		h := gram(s[i], s[i+1], s[i+2]) >> shift
		if g[h/8]&(1<<(h%8)) == 0 {
			return false
		}
	}
	return true
}
