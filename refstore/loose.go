package refstore

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// errDamaged means that an object lies in a file of its own, which cannot be
// made out. It is not missing: what is left of it may be of use.
var errDamaged = errors.New("object is damaged")

// maxQuick bounds an object that is read without asking git.
const maxQuick = 64 << 10

// readLoose reads an object of at most limit bytes that lies in a file of its
// own. The error wraps [fs.ErrNotExist] when there is no such file, and
// [errDamaged] when that does not hold one whole object.
func readLoose(dir string, id OID, limit int) (kind string, body []byte, err error) {
	f, err := os.Open(filepath.Join(dir, string(id[:2]), string(id[2:])))
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	all, err := inflate(f, limit+maxHeader)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %s: %w", errDamaged, id, err)
	}
	head, body, _ := bytes.Cut(all, []byte{0})
	word, digits, _ := bytes.Cut(head, []byte(" "))
	switch size, err := strconv.Atoi(string(digits)); {
	case err != nil || len(head) >= maxHeader || size <= limit && size != len(body):
		return "", nil, fmt.Errorf("%w: %s is not as long as it says", errDamaged, id)
	case size > limit:
		return "", nil, fmt.Errorf("object %s has %d bytes, more than %d", id, size, limit)
	case hashOf(id, all) != id:
		return "", nil, fmt.Errorf("%w: %s holds another", errDamaged, id)
	}
	return string(word), body, nil
}

// An inflater undoes zlib. To make one takes longer than to use it on an entry.
type inflater struct {
	from *bufio.Reader
	z    io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return &inflater{from: bufio.NewReaderSize(nil, 4<<10)} }}

// inflate returns what r holds, at most most bytes of it.
func inflate(r io.Reader, most int) (all []byte, err error) {
	i := inflaters.Get().(*inflater)
	defer inflaters.Put(i)
	i.from.Reset(r)
	if i.z == nil {
		i.z, err = zlib.NewReader(i.from)
	} else {
		err = i.z.(zlib.Resetter).Reset(i.from, nil)
	}
	if err != nil {
		return nil, err
	}
	all = make([]byte, 0, min(most, 1<<10))
	for len(all) < most {
		if len(all) == cap(all) {
			all = slices.Grow(all, len(all))
		}
		n, err := i.z.Read(all[len(all):min(cap(all), most)])
		all = all[:len(all)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// hashOf is the id of what an object's file holds, in the format of an id.
func hashOf(like OID, all []byte) OID {
	if len(like) == SHA256.hexLen() {
		sum := sha256.Sum256(all)
		return OID(hex.EncodeToString(sum[:]))
	}
	sum := sha1.Sum(all)
	return OID(hex.EncodeToString(sum[:]))
}

// maxHeader bounds what stands before the contents of an object.
const maxHeader = 32

// quick reads an object that lies in a file of its own. Not ok is any other, and
// one that cannot be read: git says what is wrong with it. So is every one when
// ctx has ended.
func (o *objectReader) quick(ctx context.Context, id OID) (kind string, body []byte, ok bool) {
	if o.cmd != nil || o.dir == "" || !isOID(id) || ctx.Err() != nil {
		return "", nil, false
	}
	kind, body, err := readLoose(o.dir, id, maxQuick)
	return kind, body, err == nil
}

// damaged is what keeps the file of an object from being read, err where there
// is none or nothing is wrong with it.
func (o *objectReader) damaged(name string, err error) error {
	if o.dir == "" || !isOID(OID(name)) {
		return err
	}
	if _, _, why := readLoose(o.dir, OID(name), maxObject); why != nil && !errors.Is(why, fs.ErrNotExist) {
		return why
	}
	return err
}

func isOID(id OID) bool {
	_, ok := ParseOID(string(id))
	return ok
}
