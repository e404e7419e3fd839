package strict

import (
	"encoding/json"
	"strings"
	"testing"
)

// a form has a field of each type that can be read.
type form struct {
	Sure  bool
	Count int64
	Word  word
	Maybe *int64
	Part  json.RawMessage
	Text  string
}

type word string

func (f *form) read(text string) error {
	return Object("form", []byte(text), 100, map[string]Field{
		"sure":  {Into: &f.Sure},
		"count": {Into: &f.Count, Required: true},
		"word":  {Into: &f.Word, Null: true, Word: true},
		"maybe": {Into: &f.Maybe, Null: true},
		"part":  {Into: &f.Part, Null: true},
		"text":  {Into: &f.Text},
	})
}

func TestObject(t *testing.T) {
	f := form{Sure: true, Word: "kept"}
	if err := f.read(` { "count" : 7, "maybe":-1, "part":{"a":[]} } `); err != nil {
		t.Fatal(err)
	}
	if !f.Sure || f.Count != 7 || f.Word != "kept" || *f.Maybe != -1 || string(f.Part) != `{"a":[]}` {
		t.Errorf("%+v: what is not stated stays as it was", f)
	}
	f = form{Word: "kept"}
	if err := f.read(`{"count":1,"sure":true,"word":null,"maybe":null,"part":null}`); err != nil || f.Word != "kept" || f.Maybe != nil || f.Part != nil || !f.Sure {
		t.Errorf("%+v, %v: null is not known", f, err)
	}
	f.Text = "old"
	if err := f.read(`{"count":1,"word":"\u0061\n","text":""}`); err != nil || f.Word != "a\n" || f.Text != "" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestBadObjectsNameWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		``:                                   "form is not a JSON object",
		`null`:                               "form is not a JSON object",
		`[{"count":1}]`:                      "form is not a JSON object",
		`"count"`:                            "form is not a JSON object",
		`{}`:                                 "count is missing",
		`{"count":null}`:                     "count is null",
		`{"count":1.5}`:                      "count is \"1.5\", which is not a whole number",
		`{"count":1e2}`:                      "not a whole number",
		`{"count":"1"}`:                      "not a whole number",
		`{"count":9223372036854775808}`:      "not a whole number that fits",
		`{"count":NaN}`:                      "count has no JSON value",
		`{"count":1e999}`:                    "not a whole number",
		`{"count":1,"maybe":"2"}`:            "maybe is \"\\\"2\\\"\", which is not a whole number",
		`{"count":1,"sure":"true"}`:          "sure is \"\\\"true\\\"\", which is neither true nor false",
		`{"count":1,"sure":0}`:               "neither true nor false",
		`{"count":1,"sure":null}`:            "sure is null",
		`{"count":1,"word":true}`:            "word is \"true\", which is not text",
		`{"count":1,"word":""}`:              "word is empty",
		`{"count":1,"count":1}`:              "count is stated twice",
		`{"count":1,"\u0063ount":1}`:         "count is stated twice",
		`{"count":1,"Count":2}`:              `form has a field "Count", which nothing reads`,
		`{"count":1,"":2}`:                   `form has a field "", which nothing reads`,
		`{"count":1`:                         "form is not JSON",
		`{"count":1,}`:                       "form is not JSON",
		`{"count" 1}`:                        "count has no JSON value",
		`{"count":1} {}`:                     "form is more than one JSON object",
		`{"count":1} x`:                      "form is more than one JSON object",
		"{\"count\":1,\"word\":\"\xff\"}":    "form is not UTF-8",
		`{"count":1,"part":{` + "\x00" + `}`: "part has no JSON value",
		`{"count":1` + strings.Repeat(" ", 100) + `}`: "form is longer than 100 bytes",
	} {
		var f form
		if err := f.read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want an error that says %s", text, err, want)
		}
	}
}
