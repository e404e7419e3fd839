package shipindex

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/git-dos/git-dos/refstore"
)

// A block is closed at the first of these. One of stamps is smaller, because a
// unit's stamps are near each other in a history and its name is then not in
// most blocks.
const (
	blockText  = 64 << 10
	blockStamp = 16 << 10
	blockRest  = 256 << 10
	blockRows  = 4096
)

const (
	blockMagic   = 0x314B4C42 // "BLK1"
	blockHeadLen = 48

	// blockTakes marks a block whose rows all take something back; no other
	// block has such a row.
	blockTakes = 1
)

func sum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// A blockHead is the fixed part of a block. The filter, the ids, the packed
// text and the packed rest follow it in this order.
type blockHead struct {
	rows                                int
	takes                               bool
	gramsLog                            int
	textSize, textLen                   int // unpacked, packed
	restSize, restLen                   int
	gramsSum, idsSum, textSum, restSum  uint32
	atGrams, atIDs, atText, atRest, end int64 // offsets in the file
}

func (h blockHead) append(b []byte) []byte {
	start, flags := len(b), byte(0)
	if h.takes {
		flags = blockTakes
	}
	le := binary.LittleEndian
	b = le.AppendUint32(b, blockMagic)
	b = le.AppendUint32(b, uint32(h.rows))
	b = append(b, flags, byte(h.gramsLog), 0, 0)
	for _, n := range []int{h.textSize, h.textLen, h.restSize, h.restLen} {
		b = le.AppendUint32(b, uint32(n))
	}
	for _, s := range []uint32{h.gramsSum, h.idsSum, h.textSum, h.restSum} {
		b = le.AppendUint32(b, s)
	}
	return le.AppendUint32(b, sum(b[start:]))
}

// parseBlockHead reads the head of the block at an offset, which has to end at
// limit or before.
func parseBlockHead(b []byte, at, limit int64, idLen int) (blockHead, bool) {
	le := binary.LittleEndian
	if len(b) < blockHeadLen || le.Uint32(b) != blockMagic || le.Uint32(b[44:]) != sum(b[:44]) {
		return blockHead{}, false
	}
	u32 := func(i int) int { return int(le.Uint32(b[i:])) }
	h := blockHead{
		rows: u32(4), takes: b[8] == blockTakes, gramsLog: int(b[9]),
		textSize: u32(12), textLen: u32(16), restSize: u32(20), restLen: u32(24),
		gramsSum: le.Uint32(b[28:]), idsSum: le.Uint32(b[32:]), textSum: le.Uint32(b[36:]), restSum: le.Uint32(b[40:]),
	}
	ok := h.rows > 0 && h.rows <= blockRows && b[8] <= blockTakes && h.gramsLog >= minGrams && h.gramsLog <= maxGrams &&
		h.textSize >= 0 && h.textSize <= maxSection && h.restSize >= 0 && h.restSize <= maxSection && h.textLen >= 0 && h.restLen >= 0
	if !ok {
		return blockHead{}, false
	}
	h.atGrams = at + blockHeadLen
	h.atIDs = h.atGrams + int64(gramsLen(h.gramsLog))
	h.atText = h.atIDs + int64(h.rows*idLen)
	h.atRest = h.atText + int64(h.textLen)
	h.end = h.atRest + int64(h.restLen)
	return h, h.end <= limit
}

// light blocks are packed anew when segments are merged.
func (h blockHead) light() bool {
	return h.rows < blockRows/2 && h.textSize < blockStamp/2 && h.restSize < blockRest/2
}

// encodeBlock packs rows, of which texts are the search texts.
func encodeBlock(z *zstd.Encoder, rows []Row, texts []string, takes bool, idLen int) ([]byte, error) {
	var ids, text, textLens, rest, restLens []byte
	var err error
	for i, r := range rows {
		if ids, err = appendID(ids, r.ID, idLen); err != nil {
			return nil, err
		}
		next := refstore.OID("")
		if i+1 < len(rows) {
			next = rows[i+1].ID
		}
		before := len(rest)
		if rest, err = appendRest(rest, r, texts[i], next, idLen); err != nil {
			return nil, err
		}
		text = append(text, texts[i]...)
		textLens = binary.AppendUvarint(textLens, uint64(len(texts[i])))
		restLens = binary.AppendUvarint(restLens, uint64(len(rest)-before))
		if len(textLens)+len(text) > maxSection || len(restLens)+len(rest) > maxSection {
			return nil, errRow
		}
	}
	filter := newGrams(len(text), len(rows))
	filter.addText(text)
	for id := range slices.Chunk(ids, idLen) {
		filter.addID(id)
	}
	text, rest = append(textLens, text...), append(restLens, rest...)
	packedText, packedRest := z.EncodeAll(text, nil), z.EncodeAll(rest, nil)
	h := blockHead{
		rows: len(rows), takes: takes, gramsLog: filter.log(),
		textSize: len(text), textLen: len(packedText), restSize: len(rest), restLen: len(packedRest),
		gramsSum: sum(filter), idsSum: sum(ids), textSum: sum(packedText), restSum: sum(packedRest),
	}
	b := make([]byte, 0, blockHeadLen+len(filter)+len(ids)+len(packedText)+len(packedRest))
	b = append(append(h.append(b), filter...), ids...)
	return append(append(b, packedText...), packedRest...), nil
}

// A blockReader unpacks blocks of one or more files, one at a time. What it
// returns is good until the next block.
type blockReader struct {
	z     *zstd.Decoder // made when first needed
	idLen int

	file   io.ReaderAt
	head   blockHead
	packed []byte
	ids    []byte
	text   column
	rest   column
}

// A column is one part of all rows, end to end.
type column struct {
	unpacked []byte // the lengths, then the parts
	parts    []byte
	ends     []int
	read     bool
}

func (c *column) of(i int) []byte { return c.parts[c.start(i):c.ends[i]] }

func (c *column) start(i int) int {
	if i == 0 {
		return 0
	}
	return c.ends[i-1]
}

// at is the row that has the byte at an offset.
func (c *column) at(offset int) int {
	i, _ := slices.BinarySearch(c.ends, offset+1)
	return i
}

// split finds where the parts are.
func (c *column) split(rows int) error {
	in := cursor{b: c.unpacked}
	c.ends = c.ends[:0]
	end := 0
	for range rows {
		n := in.uvarint()
		if in.bad || n > uint64(len(c.unpacked)-end) {
			return errDamaged
		}
		end += int(n)
		c.ends = append(c.ends, end)
	}
	if c.parts = in.b; end != len(c.parts) {
		return errDamaged
	}
	return nil
}

func newBlockReader(idLen int) *blockReader { return &blockReader{idLen: idLen} }

func (r *blockReader) load(file io.ReaderAt, h blockHead) {
	r.file, r.head, r.text.read, r.rest.read = file, h, false, false
}

// section reads a checked part of the block.
func (r *blockReader) section(buf []byte, at, end int64, want uint32) ([]byte, error) {
	b, err := readAt(r.file, buf, at, int(end-at))
	if err == nil && sum(b) != want {
		err = errDamaged
	}
	return b, err
}

func (r *blockReader) readText() error {
	h := &r.head
	return r.readColumn(&r.text, h.atText, h.atRest, h.textSum, h.textSize)
}

func (r *blockReader) readIDs() (err error) {
	r.ids, err = r.section(r.ids, r.head.atIDs, r.head.atText, r.head.idsSum)
	return err
}

// readAll reads what is needed to decode rows.
func (r *blockReader) readAll() error {
	if err := errors.Join(r.readText(), r.readIDs()); err != nil {
		return err
	}
	h := &r.head
	return r.readColumn(&r.rest, h.atRest, h.end, h.restSum, h.restSize)
}

func (r *blockReader) readColumn(c *column, at, end int64, want uint32, size int) (err error) {
	if c.read {
		return nil
	}
	if r.packed, err = r.section(r.packed, at, end, want); err != nil {
		return err
	}
	if c.unpacked, err = r.unpack(size, c.unpacked); err != nil {
		return err
	}
	err = c.split(r.head.rows)
	c.read = err == nil
	return err
}

// unpack decompresses the packed part just read, which must have size bytes,
// into buf where it has room.
func (r *blockReader) unpack(size int, buf []byte) (out []byte, err error) {
	if r.z == nil {
		if r.z, err = newUnpacker(); err != nil {
			return nil, err
		}
	}
	out, err = r.z.DecodeAll(r.packed, buf[:0])
	if err != nil || len(out) != size {
		return nil, errDamaged
	}
	return out, nil
}

func (r *blockReader) id(i int) []byte { return r.ids[i*r.idLen : (i+1)*r.idLen] }

func (r *blockReader) row(i int) (Row, error) {
	next := refstore.OID("")
	if i+1 < r.head.rows {
		next = refstore.OID(hex.EncodeToString(r.id(i + 1)))
	}
	row, ok := readRest(r.rest.of(i), r.text.of(i), next, r.idLen)
	if !ok || r.head.takes != (len(row.Takes) > 0) {
		return Row{}, errDamaged
	}
	row.ID = refstore.OID(hex.EncodeToString(r.id(i)))
	return row, nil
}

// readAt reads exactly n bytes, into buf where it has room.
func readAt(f io.ReaderAt, buf []byte, at int64, n int) ([]byte, error) {
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := f.ReadAt(buf, at); err != nil {
		return buf, err
	}
	return buf, nil
}
