package main

import "testing"

func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		claim, expr string
		words       []string
		want        shape
	}{
		{"a literal word", `\bfoo_[a-z]{4}`, []string{"foo_"}, shape{reach: 20}},
		{"in any case", `(?i)FOO_[a-z]{2}`, []string{"foo_"}, shape{reach: 24}},
		{"a word of factored alternatives", `\b(?:AKIA|ASIA|A3T[A-Z0-9])[0-9]{2}`, []string{"akia", "asia", "a3t"}, shape{reach: 18}},
		{"a word put together", `sk_(?:live|test)_[0-9]`, []string{"sk_live", "sk_test"}, shape{reach: 33}},
		{"one way without a word", `(?:foo|bar)[0-9]`, []string{"foo"}, shape{reach: 13, far: true}},
		{"an optional word", `(?:foo)?[0-9]`, []string{"foo"}, shape{reach: 13, far: true}},
		{"a word that is nowhere", `[a-f0-9]{40}`, []string{"foo"}, shape{reach: 40, far: true}},
		{"no longest match", `foo[a-z]+`, []string{"foo"}, shape{}},
		{"blanks around an assignment", `foo[\s']{0,3}=`, []string{"foo"}, shape{reach: 19}},
		{"what spans lines", `foo(?s:.){9}`, []string{"foo"}, shape{reach: 48, lines: true}},
		{"an end of a line by name", `foo[\r\n]{1,2}x`, []string{"foo"}, shape{reach: 18, lines: true}},
	} {
		got, err := shapeOf(tt.expr, tt.words)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.claim, got, err, tt.want)
		}
	}
	if _, err := shapeOf("(", nil); err == nil {
		t.Error("an expression that is none has a shape")
	}
}

func TestRuns(t *testing.T) {
	for _, tt := range []struct {
		expr  string
		least int
		bytes string
	}{
		{`\b(s\.[a-z0-9]{24})` + ending, 26, "..09az"},
		{`(?i)ab[0-9]?`, 2, "09ABab"},
		{`foo|[-x]{5}`, 3, "--ffooxx"},
	} {
		if r, err := runOf(tt.expr); err != nil || r.least != tt.least || r.bytes != tt.bytes {
			t.Errorf("%s: %+v, %v; want %d %q", tt.expr, r, err, tt.least, tt.bytes)
		}
	}
}

func TestAssignments(t *testing.T) {
	name := `(?i)[\w.-]{0,50}?(?:acme)`
	if !assignedTo(name+assigned+`([a-z]{9})`, []string{"acme"}) {
		t.Error("a name with the word is not taken for one")
	}
	if assignedTo(name+assigned+`(live_[a-z]{9})`, []string{"live_"}) {
		t.Error("a word of the value is taken for one of the name")
	}
	if assignedTo(`acme_[a-z]{9}`, []string{"acme"}) {
		t.Error("an assignment is seen where there is none")
	}
}
