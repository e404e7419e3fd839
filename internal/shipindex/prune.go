package shipindex

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// What stays beside the chain that was just written: files of the last days,
// up to maxFiles in all, and not many times the chain's own size.
const (
	maxAge     = 30 * 24 * time.Hour
	maxTempAge = time.Hour
	spareBytes = 64 << 20
	spareTimes = 3
)

// prune removes what is too old or too much, the least recently written first,
// but nothing that a file which stays is based on. It touches only names the
// index itself gives. Whatever it cannot do is left for the next writer.
func (ix *Index) prune(root *os.Root, tip refstore.OID) {
	files := list(root)
	sizes := map[string]int64{}
	for _, f := range files {
		sizes[f.name] = f.size
	}
	kept := map[string]bool{}
	var own, spare int64
	for _, name := range lineage(root, ix.name(tip), kept) {
		kept[name] = true
		own += sizes[name]
	}
	now := time.Now()
	for _, f := range files {
		age := now.Sub(f.mtime)
		switch {
		case strings.HasPrefix(f.name, tempPrefix):
			if age > maxTempAge {
				_ = root.Remove(f.name)
			}
			continue
		case kept[f.name] || !segmentName(f.name):
			continue
		}
		names, size := lineage(root, f.name, kept), int64(0)
		for _, name := range names {
			size += sizes[name]
		}
		if age > maxAge || len(kept)+len(names) > maxFiles || spare+size > spareTimes*own+spareBytes {
			_ = root.Remove(f.name)
			continue
		}
		spare += size
		for _, name := range names {
			kept[name] = true
		}
	}
}

// segmentName reports whether a file is named as segments are, of any key.
func segmentName(name string) bool {
	key, tip, _ := strings.Cut(name, "-")
	_, err := hex.DecodeString(key)
	_, ok := refstore.ParseOID(tip)
	return err == nil && len(key) == 16 && ok
}

// lineage lists a segment and what it is based on, as far as that is not in
// known already.
func lineage(root *os.Root, name string, known map[string]bool) []string {
	var names []string
	for ; name != "" && !known[name] && len(names) < maxChain; name = baseOf(root, name) {
		names = append(names, name)
	}
	return names
}

// baseOf is the name of the segment that one is based on, "" for none and for
// a file that does not say.
func baseOf(root *os.Root, name string) string {
	f, _, err := openRegular(root, name)
	if err != nil {
		return ""
	}
	defer f.Close()
	key, tip, _ := strings.Cut(name, "-")
	idLen := len(tip) / 2
	head, err := readAt(f, nil, 0, headLen(idLen))
	if err != nil || !strings.HasPrefix(string(head), headMagic) {
		return ""
	}
	base := head[len(head)-4-idLen : len(head)-4]
	if bytes.Equal(base, make([]byte, idLen)) {
		return ""
	}
	return key + "-" + hex.EncodeToString(base)
}
