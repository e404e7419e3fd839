package leak

import "slices"

// A finder finds many words in one pass over a text, in any ASCII case. It is
// the automaton of Aho and Corasick with every step spelled out. The states at
// which a word ends are the last ones.
type finder struct {
	class [256]uint8 // of bytes that no word tells apart
	width uint32     // how many classes there are
	next  []uint32   // by state times width, plus class; states are times width too
	ends  uint32     // the first state, times width, at which a word ends
	found [][]uint16 // by state from there on: the words that end at it
}

// newFinder makes the finder of words in lower case, none of them empty.
func newFinder(words []string) *finder {
	f := &finder{width: 1}
	for _, w := range words {
		for _, c := range []byte(w) {
			if f.class[c] == 0 {
				f.class[c] = uint8(f.width)
				f.width++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		f.class[c-'a'+'A'] = f.class[c]
	}
	t := newTrie(f, words)
	f.fill(t, t.link(int(f.width)))
	return f
}

// A trie has the words, before its states are put in order.
type trie struct {
	next  [][]int    // by state and class; 0 none
	words [][]uint16 // by state
}

func newTrie(f *finder, words []string) *trie {
	t := &trie{}
	add := func() int {
		t.next = append(t.next, make([]int, f.width))
		t.words = append(t.words, nil)
		return len(t.next) - 1
	}
	add()
	for i, w := range words {
		at := 0
		for _, c := range []byte(w) {
			to := &t.next[at][f.class[c]]
			if *to == 0 {
				*to = add()
			}
			at = t.next[at][f.class[c]]
		}
		t.words[at] = append(t.words[at], uint16(i))
	}
	return t
}

// link gives every state a step for every class, and the words that end inside
// longer ones. It returns the states breadth first.
func (t *trie) link(width int) []int {
	back := make([]int, len(t.next))
	order := []int{0}
	for i := 0; i < len(order); i++ {
		at := order[i]
		for c := range width {
			to := t.next[at][c]
			switch {
			case to == 0 && at != 0:
				t.next[at][c] = t.next[back[at]][c]
			case to != 0:
				if at != 0 {
					back[to] = t.next[back[at]][c]
				}
				t.words[to] = append(t.words[to], t.words[back[to]]...)
				order = append(order, to)
			}
		}
	}
	return order
}

// fill numbers the states so that those at which a word ends come last.
func (f *finder) fill(t *trie, order []int) {
	ended := func(s int) int { return min(len(t.words[s]), 1) }
	slices.SortStableFunc(order, func(a, b int) int { return ended(a) - ended(b) })
	number := make([]uint32, len(order))
	for i, s := range order {
		number[s] = uint32(i) * f.width
	}
	f.next = make([]uint32, 0, len(order)*int(f.width))
	f.ends = uint32(len(order)) * f.width
	for _, s := range order {
		if len(t.words[s]) > 0 {
			f.ends = min(f.ends, number[s])
			f.found = append(f.found, t.words[s])
		}
		for _, to := range t.next[s] {
			f.next = append(f.next, number[to])
		}
	}
}

// find calls each with the words that end before the byte at end.
func (f *finder) find(text []byte, each func(words []uint16, end int)) {
	at := uint32(0)
	for i, c := range text {
		at = f.next[at+uint32(f.class[c])]
		if at >= f.ends {
			each(f.found[(at-f.ends)/f.width], i+1)
		}
	}
}
