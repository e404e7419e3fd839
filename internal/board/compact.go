package board

import (
	"encoding/json"
	"slices"
	"time"
)

// compact is the data as the page carries it for its script: words once, times in
// seconds from the beginning. Its JSON has no <, > or &, so that nothing in it ends
// the element it stands in.
func compact(d Data) ([]byte, error) {
	w := words{at: map[string]int{}}
	w.put("")
	sec := func(t time.Time) int64 { return t.Unix() - d.Since.Unix() }
	lanes := make([][]any, 0, len(d.Lanes))
	for _, l := range d.Lanes {
		spans := make([][]any, 0, len(l.Spans))
		for _, p := range l.Spans {
			to := int64(-1)
			if p.To != nil {
				to = sec(*p.To)
			}
			spans = append(spans, []any{sec(p.From), to, slices.Index(States, p.State), w.put(p.Owner), w.put(p.Node), w.put(p.RunID), w.put(p.Unit), p.Gen, w.put(p.End)})
		}
		lanes = append(lanes, []any{w.put(l.Lane), spans})
	}
	events := make([][]any, 0, len(d.Events))
	for _, e := range d.Events {
		events = append(events, []any{sec(e.At), slices.Index(Classes, e.Class), w.put(e.Op), w.put(e.Word), w.put(e.Lane), w.put(e.RunID), w.put(e.Node), w.put(e.Text)})
	}
	return json.Marshal(map[string]any{
		"since": d.Since.Unix(), "at": d.At.Unix(), "words": w.all, "lanes": lanes, "events": events, "states": States, "classes": Classes, "bands": bands, "glyphs": glyphs,
	})
}

// words are words by number.
type words struct {
	all []string
	at  map[string]int
}

func (w *words) put(s string) int {
	i, ok := w.at[s]
	if !ok {
		i = len(w.all)
		w.all, w.at[s] = append(w.all, s), i
	}
	return i
}
