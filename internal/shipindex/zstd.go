package shipindex

import (
	"errors"

	"github.com/klauspost/compress/zstd"
)

// maxSection bounds the unpacked text and rest of a block. A row of the largest
// commit that is read fits, however its parts repeat each other.
const maxSection = 64 << 20

// newPacker compresses one block at a time. The frames carry no checksum of
// their own: a block has one of each packed part.
func newPacker() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(256<<10), zstd.WithLowerEncoderMem(true))
}

func newUnpacker() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSection),
		zstd.WithDecoderLowmem(true), zstd.IgnoreChecksum(true))
}

var errDamaged = errors.New("the segment is damaged")
