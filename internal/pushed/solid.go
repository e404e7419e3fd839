package pushed

import "sync"

// A scale weighs what a diff adds to a file against what it takes away, white
// space apart. Where nothing but white space and blank lines differ, whatever
// lines a diff puts side by side, the same bytes stand on both.
type scale struct{ sum uint64 }

// weights are of the bytes: none of white space.
var weights = func() (w [256]uint64) {
	for c := range w {
		w[c] = 1<<32 + uint64(c)*uint64(c)
	}
	for _, c := range " \t\n\v\f\r" {
		w[c] = 0
	}
	return w
}()

func (s *scale) add(text []byte, gone bool) {
	sum := uint64(0)
	for _, c := range text {
		sum += weights[c]
	}
	if gone {
		sum = -sum
	}
	s.sum += sum
}

// weighed ends a file and begins the next, "" for none. A file that became a link
// comes as two diffs of one path.
func (p *patch) weighed(next string) {
	if next != "" && next == p.file {
		return
	}
	if p.scale.sum != 0 && p.file != "" && p.solid != nil {
		p.solid(p.at.Commit, p.file)
	}
	p.file, p.scale = next, scale{}
}

// A solids is which files of which commits are known to change in more than white
// space.
type solids struct {
	mu    sync.Mutex
	known map[[2]string]bool
}

func (s *solids) add(commit, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[[2]string]bool{}
	}
	s.known[[2]string{commit, path}] = true
}

// Solid reports whether a file is known to change in more than white space with a
// commit of one parent. That is learnt while Added is read: what is not known may
// be so all the same.
func (h *History) Solid(commit, path string) bool {
	h.solid.mu.Lock()
	defer h.solid.mu.Unlock()
	return h.solid.known[[2]string{commit, path}]
}
