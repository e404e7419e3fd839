package ancestry

import (
	"encoding/hex"

	"github.com/git-dos/git-dos/refstore"
)

// passed remembers the commits that a walk has yielded by the first 16 bytes of
// their ids, which nobody can make collide, in pieces that are never copied.
type passed struct{ pieces [][]head }

type head [16]byte

const perPiece = 8 << 10

func headOf(id refstore.OID) (h head) {
	_, _ = hex.Decode(h[:], []byte(id[:2*len(h)])) // an OID is hex digits
	return h
}

func (p *passed) add(id refstore.OID) {
	last := len(p.pieces) - 1
	if last < 0 || len(p.pieces[last]) == perPiece {
		p.pieces = append(p.pieces, make([]head, 0, perPiece))
		last++
	}
	p.pieces[last] = append(p.pieces[last], headOf(id))
}

// drop takes the remembered commits out of what is still expected: a child
// whose date is wrong names its parent after that has been yielded.
func (p *passed) drop(expected map[refstore.OID][]refstore.OID) {
	if len(p.pieces) == 0 || len(expected) == 0 {
		return
	}
	late := map[head]refstore.OID{}
	for id := range expected {
		late[headOf(id)] = id
	}
	for _, piece := range p.pieces {
		for _, h := range piece {
			if id, ok := late[h]; ok {
				delete(expected, id)
			}
		}
	}
}
