package queue

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// likeness is how much of two titles' words must be the same for a likely twin.
const likeness = 0.60

// mostTwins bounds a list that is advice.
const mostTwins = 5

// A Twin is a task that another may be the same as.
type Twin struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	State State   `json:"state"`
	Like  float64 `json:"likeness"` // 1: the same target, or the same words
}

// An index finds tasks by the words of their titles.
type index struct {
	tasks  []Task
	words  []int            // how many words the title of each has
	by     map[string][]int // tasks by word
	target map[string][]int // tasks by what would show them done
	shared []int            // scratch: the words that each has in common with one title
}

// newIndex takes up the tasks that nobody closed.
func newIndex(tasks []Task) *index {
	x := &index{by: map[string][]int{}, target: map[string][]int{}}
	for _, t := range tasks {
		x.add(t)
	}
	return x
}

func (x *index) add(t Task) {
	if t.State.Closed() {
		return
	}
	at, words := len(x.tasks), titleTokens(t.Title)
	x.tasks, x.words, x.shared = append(x.tasks, t), append(x.words, len(words)), append(x.shared, 0)
	for _, word := range words {
		x.by[word] = append(x.by[word], at)
	}
	if key := target(t); key != "" {
		x.target[key] = append(x.target[key], at)
	}
}

// target names what two tasks that are surely the same have in common.
func target(t Task) string {
	if t.Until.Empty() || t.Until.Text != "" {
		return ""
	}
	return strings.ToLower(t.Until.String())
}

// twins are the tasks that t may be the same as, the likeliest first.
func (x *index) twins(t Task) []Twin {
	own := titleTokens(t.Title)
	clear(x.shared)
	for _, word := range own {
		for _, at := range x.by[word] {
			x.shared[at]++
		}
	}
	like := map[int]float64{}
	for at, n := range x.shared {
		if j := float64(n) / float64(len(own)+x.words[at]-n); n > 0 && j >= likeness {
			like[at] = j
		}
	}
	for _, at := range x.target[target(t)] {
		like[at] = 1
	}
	list := []Twin{}
	for at, j := range like {
		if other := x.tasks[at]; other.ID != t.ID {
			list = append(list, Twin{other.ID, other.Title, other.State, j})
		}
	}
	slices.SortFunc(list, func(a, b Twin) int { return cmp.Or(cmp.Compare(b.Like, a.Like), cmp.Compare(a.ID, b.ID)) })
	return list[:min(len(list), mostTwins)]
}

// Twins are the tasks of the queue that t may be the same as.
func (f *Fold) Twins(t Task) []Twin { return newIndex(f.Tasks()).twins(t) }

// titleTokens are the words of a title, each once, without those that say
// nothing.
func titleTokens(title string) []string {
	all := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	all = slices.DeleteFunc(all, func(w string) bool { return slices.Contains(fillers, w) })
	slices.Sort(all)
	return slices.Compact(all)
}

var fillers = []string{"a", "an", "the", "of", "in", "on", "to", "for", "and", "or", "is", "are", "be", "with", "by", "at", "it", "as"}
