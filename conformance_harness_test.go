package gitdos_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// conform runs the vectors in dir and reports every mismatch as one error.
func conform(out io.Writer, dir string, runners map[string]runner, later []string) error {
	var errs []error
	for _, fn := range later {
		if runners[fn] != nil {
			errs = append(errs, fmt.Errorf("%s has a runner and is still listed for later: take it off the list", fn))
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return err
	}
	tallies := map[string]*tally{}
	for _, file := range files {
		if err := eachLine(file, func(n int, line []byte) error {
			return judge(tallies, runners, later, line, fmt.Sprintf("%s:%d", filepath.Base(file), n))
		}); err != nil {
			errs = append(errs, err)
		}
	}
	if len(tallies) == 0 {
		errs = append(errs, fmt.Errorf("no vectors in %s", dir))
	}
	return errors.Join(append(errs, summarise(out, tallies, later)...)...)
}

// A tally counts the vectors of one function.
type tally struct {
	total, passed int
	failures      []error
}

type vector struct {
	ID    string          `json:"id"`
	Fn    string          `json:"fn"`
	Input json.RawMessage `json:"input"`
	Want  json.RawMessage `json:"want"`
}

// judge runs one vector. Its error is about the file, not about an answer.
func judge(tallies map[string]*tally, runners map[string]runner, later []string, line []byte, where string) error {
	var v vector
	if err := json.Unmarshal(line, &v); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if v.Fn == "" {
		return fmt.Errorf("%s: vector without fn", where)
	}
	tl := tallies[v.Fn]
	if tl == nil {
		tl = &tally{}
		tallies[v.Fn] = tl
	}
	tl.total++
	run := runners[v.Fn]
	if run == nil {
		if !slices.Contains(later, v.Fn) {
			tl.failures = append(tl.failures, fmt.Errorf("%s %s: no runner for fn %q", where, v.ID, v.Fn))
		}
		return nil
	}
	// A runner whose vectors lie beside their input is given the whole line.
	input := v.Input
	if input == nil {
		input = line
	}
	if err := check(run, input, v.Want, slices.Contains(looseWants, v.Fn)); err != nil {
		tl.failures = append(tl.failures, fmt.Errorf("%s %s: %w", where, v.ID, err))
		return nil
	}
	tl.passed++
	return nil
}

func check(run runner, input, want json.RawMessage, loose bool) error {
	if want == nil {
		return errors.New("vector without want")
	}
	value, err := run(input)
	if err != nil {
		return err
	}
	got, err := json.Marshal(value)
	if err != nil {
		return err
	}
	g, err := decoded(got)
	if err != nil {
		return err
	}
	w, err := decoded(want)
	if err != nil {
		return err
	}
	if loose {
		g = trimmed(g, w)
	}
	if !reflect.DeepEqual(g, w) {
		return fmt.Errorf("got %s, want %s", got, want)
	}
	return nil
}

// decoded reads JSON as values that compare exactly: numbers by value, not by
// spelling, and integers too large for that by their digits.
func decoded(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return exact(v), nil
}

func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if !strings.ContainsAny(v.String(), ".eE") {
			return v
		}
		f, err := v.Float64()
		if err == nil && f == float64(int64(f)) && f > -1e15 && f < 1e15 {
			return int64(f)
		}
		return f
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	}
	return v
}

// trimmed drops the fields of got, at every depth, that want does not list.
func trimmed(got, want any) any {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		kept := map[string]any{}
		for k, v := range g {
			if wv, listed := w[k]; listed {
				kept[k] = trimmed(v, wv)
			}
		}
		return kept
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		for i := range g {
			g[i] = trimmed(g[i], w[i])
		}
	}
	return got
}

// summarise prints the tallies and returns the failures, the first few of
// each function in full.
func summarise(out io.Writer, tallies map[string]*tally, later []string) []error {
	const most = 5
	var errs []error
	fns := make([]string, 0, len(tallies))
	for fn := range tallies {
		fns = append(fns, fn)
	}
	slices.Sort(fns)
	for _, fn := range fns {
		tl := tallies[fn]
		note := ""
		if slices.Contains(later, fn) {
			note = " (later)"
		}
		fmt.Fprintf(out, "%s %d/%d%s\n", fn, tl.passed, tl.total, note)
		errs = append(errs, tl.failures[:min(most, len(tl.failures))]...)
		if n := len(tl.failures); n > most {
			errs = append(errs, fmt.Errorf("%s: %d more failures", fn, n-most))
		}
	}
	return errs
}

// eachLine calls f with every non-blank line, however long.
func eachLine(file string, f func(n int, line []byte) error) error {
	r, err := os.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	br := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := f(n, line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// answer adapts a typed function to a runner. Unknown input fields are
// errors: a field nobody reads is a question half answered.
func answer[T any](f func(T) any) runner {
	return func(input json.RawMessage) (any, error) {
		var in T
		d := json.NewDecoder(bytes.NewReader(input))
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil {
			return nil, err
		}
		return f(in), nil
	}
}

// A harness that cannot fail proves nothing: each way to be wrong is shown.
func TestHarnessFails(t *testing.T) {
	echo := func(input json.RawMessage) (any, error) { return input, nil }
	broken := func(json.RawMessage) (any, error) { return nil, errors.New("broken") }
	tests := []struct {
		name, file string
		later      []string
		want       string // in the error; empty: no error
	}{
		{"an equal answer passes", `{"id":"1","fn":"echo","input":{"a":1},"want":{"a":1.0}}`, nil, ""},
		{"a line may be long", `{"id":"1","fn":"echo","input":{"a":"` + strings.Repeat("x", 4<<20) + `"},"want":{"a":"` + strings.Repeat("x", 4<<20) + `"}}`, nil, ""},
		{"blank lines and a missing last line feed are no matter", "\n" + `{"id":"1","fn":"echo","input":2,"want":2}`, nil, ""},
		{"a different answer fails", `{"id":"1","fn":"echo","input":{"a":1},"want":{"a":2}}`, nil, "want"},
		{"a different order fails", `{"id":"1","fn":"echo","input":[1,2],"want":[2,1]}`, nil, "want"},
		{"an extra field fails", `{"id":"1","fn":"echo","input":{"a":1,"b":2},"want":{"a":1}}`, nil, "want"},
		{"a missing field fails", `{"id":"1","fn":"echo","input":{"a":1},"want":{"a":1,"b":null}}`, nil, "want"},
		{"an extra field passes where the schema says so", `{"id":"1","fn":"gate","input":{"a":1,"b":2},"want":{"a":1}}`, nil, ""},
		{"a missing field fails there too", `{"id":"1","fn":"gate","input":{"a":1},"want":{"a":1,"b":null}}`, nil, "want"},
		{"large numbers differ by one", `{"id":"1","fn":"echo","input":9007199254740993,"want":9007199254740992}`, nil, "want"},
		{"huge numbers differ by one", `{"id":"1","fn":"echo","input":99999999999999999999,"want":99999999999999999998}`, nil, "want"},
		{"a runner's error fails", `{"id":"1","fn":"broken","input":1,"want":1}`, nil, "broken"},
		{"an unknown function fails", `{"id":"1","fn":"nobody","input":1,"want":1}`, nil, "no runner"},
		{"a function of later passes", `{"id":"1","fn":"nobody","input":1,"want":1}`, []string{"nobody"}, ""},
		{"a function of later with a runner fails", `{"id":"1","fn":"echo","input":1,"want":1}`, []string{"echo"}, "off the list"},
		{"a vector without a function fails", `{"id":"1","input":1,"want":1}`, nil, "without fn"},
		{"a vector without an answer fails", `{"id":"1","fn":"echo","input":1}`, nil, "without want"},
		{"a line that is no JSON fails", `{"id":`, nil, "f.jsonl:1"},
		{"a folder without vectors fails", "", nil, "no vectors"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f.jsonl"), []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			err := conform(io.Discard, dir, map[string]runner{"echo": echo, "gate": echo, "broken": broken}, tt.later)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("unexpected: %.200v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %.200v, want an error that says %q", err, tt.want)
			}
		})
	}
	if err := conform(io.Discard, filepath.Join(t.TempDir(), "absent"), nil, nil); err == nil {
		t.Error("a folder that is not there passes")
	}
}
