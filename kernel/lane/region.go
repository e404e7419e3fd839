package lane

// A Region is a tree prepared for being compared with many.
type Region struct{ r region }

// Region prepares a tree.
func (g Algebra) Region(tree []string) Region { return Region{g.region(tree)} }

// Disjoint reports whether the trees, prepared in one algebra, surely share no
// file.
func (a Region) Disjoint(b Region) bool {
	_, _, overlap := overlapping(a.r, b.r)
	return !overlap
}

// Meets reports whether a file could lie in both trees.
func (a Region) Meets(b Region) bool { return !a.Disjoint(b) }
