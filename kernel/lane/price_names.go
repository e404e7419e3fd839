package lane

import "strconv"

// priceNames gives every worker a name of its own. The first to come keeps a
// name; the next is called <name>-2, and so on past names that are taken.
func priceNames(workers []PriceWorker) []string {
	names := make([]string, len(workers))
	taken := make(map[string]bool, len(workers))
	next := map[string]int{}
	for i, w := range workers {
		base := w.Name
		if base == "" {
			base = "agent-" + strconv.Itoa(i+1)
		}
		name := base
		for n := max(2, next[base]); taken[name]; n++ {
			name, next[base] = base+"-"+strconv.Itoa(n), n+1
		}
		names[i], taken[name] = name, true
	}
	return names
}
