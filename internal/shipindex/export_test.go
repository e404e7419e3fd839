package shipindex

import "github.com/git-dos/git-dos/refstore"

// Shape counts the segments and blocks of a tip's chain.
func Shape(ix *Index, tip refstore.OID) (segments, blocks int) {
	c, err := ix.open(tip)
	if err != nil {
		return 0, 0
	}
	defer c.close()
	for _, s := range c {
		blocks += int(s.blocks)
	}
	return len(c), blocks
}
