package shipindex

import (
	"encoding/binary"
	"math/bits"
)

// grams says what a block cannot hold: a table of 2^n bits, n from minGrams to
// maxGrams, in which every id of the block and every two and three bytes in a
// row of its text have set theirs. It may say that something is there which is
// not, never the reverse.
type grams []byte

const (
	minGrams = 10
	maxGrams = 20
)

// newGrams makes an empty table for so many bytes of text, in which sequences
// come again, and so many ids, in which they do not.
func newGrams(text, ids int) grams {
	log := min(max(bits.Len(uint(text+16*ids))-1, minGrams), maxGrams)
	return make(grams, gramsLen(log))
}

func gramsLen(log int) int { return 1 << log / 8 }

func (g grams) log() int { return bits.TrailingZeros(uint(8 * len(g))) }

func (g grams) addText(text []byte) {
	shift := 32 - g.log()
	for i := 0; i+2 <= len(text); i++ {
		g.set(pair(text[i], text[i+1]) >> shift)
		if i+3 <= len(text) {
			g.set(triple(text[i], text[i+1], text[i+2]) >> shift)
		}
	}
}

func (g grams) addID(raw []byte) {
	for _, h := range idHashes(raw) {
		g.set(h >> (32 - g.log()))
	}
}

// mayText is false when the text does not contain s. Of a single byte nothing
// is known.
func (g grams) mayText(s string) bool {
	shift := 32 - g.log()
	if len(s) == 2 {
		return g.has(pair(s[0], s[1]) >> shift)
	}
	for i := 0; i+3 <= len(s); i++ {
		if !g.has(triple(s[i], s[i+1], s[i+2]) >> shift) {
			return false
		}
	}
	return true
}

// mayID is false when the id is not in the block.
func (g grams) mayID(raw string) bool {
	for _, h := range idHashes([]byte(raw)) {
		if !g.has(h >> (32 - g.log())) {
			return false
		}
	}
	return true
}

func (g grams) set(h uint32)      { g[h/8] |= 1 << (h % 8) }
func (g grams) has(h uint32) bool { return g[h/8]&(1<<(h%8)) != 0 }

const spread = 0x9E3779B1 // 2^32 divided by the golden ratio

func pair(a, b byte) uint32 { return (uint32(a) | uint32(b)<<8 | 1<<24) * spread }

func triple(a, b, c byte) uint32 { return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * spread }

func idHashes(raw []byte) [3]uint32 {
	le := binary.LittleEndian
	return [3]uint32{le.Uint32(raw), le.Uint32(raw[4:]), le.Uint32(raw[8:])}
}
