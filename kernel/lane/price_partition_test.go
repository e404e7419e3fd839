package lane

import (
	"reflect"
	"strings"
	"testing"
)

func TestParsePartition(t *testing.T) {
	want := []PriceWorker{{Name: "a", Lane: "api", LeaseID: "1", Tree: []string{"x", "y"}, Mode: "shared"}, {}}
	const list = `[{"name":"a","lane":"api","lease_id":"1","tree":["x","y"],"mode":"shared","issue":7},{"tree":null,"name":null}]`
	for _, text := range []string{list, `{"note":[1],"agents":` + list + `}`, "\xef\xbb\xbf\n" + list + "\r\n"} {
		got, err := ParsePartition([]byte(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{`[]`, `{"agents":[]}`} {
		if got, err := ParsePartition([]byte(text)); err != nil || len(got) != 0 {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
}

func TestParsePartitionSaysWhere(t *testing.T) {
	tests := []struct{ name, text, say string }{
		{"nothing", " \n", "is empty"},
		{"no JSON", "[\n {\"name\": x}]", "line 2 column 11"},
		{"cut short", `[{"name":`, "is not JSON"},
		{"two values", "[] []", "line 1 column 4"},
		{"a string", `"a"`, "the partition is a string, want an array"},
		{"a key twice", `{"agents":[],"agents":[]}`, `the partition has the key "agents" twice`},
		{"a worker's key twice", `[{"lane":"a","lane":"b"}]`, `[0] has the key "lane" twice`},
		{"null", `null`, "the partition is null"},
		{"no agents", `{"workers":[]}`, `no key "agents"`},
		{"agents of another case", `{"Agents":[]}`, `no key "agents"`},
		{"agents is an object", `{"agents":{}}`, "agents is an object, want an array"},
		{"agents is null", `{"agents":null}`, "agents is null"},
		{"a worker is a number", `[{},7]`, "[1] is a number, want an object"},
		{"a worker is null", `{"agents":[null]}`, "agents[0] is null"},
		{"a name is a number", `{"agents":[{"name":1}]}`, "agents[0].name is a number, want a string"},
		{"a lane is a list", `[{"lane":["a"]}]`, "[0].lane is an array, want a string"},
		{"a lease id is a boolean", `[{"lease_id":true}]`, "[0].lease_id is a boolean"},
		{"a mode is an object", `[{"mode":{}}]`, "[0].mode is an object"},
		{"a tree is a string", `[{"tree":"x"}]`, "[0].tree is a string, want an array"},
		{"an entry is null", `[{},{"tree":["x",null]}]`, "[1].tree[1] is null, want a string"},
		{"bytes that are no text", "[{\"name\":\"\xff\"}]", "not valid UTF-8"},
		{"too long", "[" + strings.Repeat(" ", MaxPartition) + "]", "more than 1048576 bytes"},
		{"too many", "[" + strings.Repeat("{},", MaxPriceWorkers) + "{}]", "10001 workers"},
		{"too deep", strings.Repeat("[", 20000), "is not JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParsePartition([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.say) {
				t.Errorf("got %d workers, %v, want an error that says %q", len(got), err, tt.say)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %q", err)
			}
		})
	}
}

func TestPriceTextIsFitForATerminal(t *testing.T) {
	v := price(t, nil, "a lane=release", "b\x1b[31m\u202e x", "c lane=release VERSION", "d dos.toml", "e")
	text := v.String()
	for _, bad := range []string{"\x1b", "\u202e"} {
		if strings.Contains(text, bad) {
			t.Errorf("the text holds %q:\n%s", bad, text)
		}
	}
	want := `SERIALIZE_UNKNOWN_SCOPE e: nobody knows which files it touches
  now      a
  wave 2   "b\x1b[31m\u202e"
  wave 3   c
  wave 4   e
  blocked  d: tree dos.toml holds what decides admission: dos.toml (SELF_MODIFY); leave those paths out, or have an operator force it
  held     "b\x1b[31m\u202e": lane release, which is a's, runs alone; say first which files those touch that it collides with
  held     c: lane release is a's too; say first which files those touch that it collides with
  held     e: nobody knows which files it touches; say which files with tree, or with a lane that has one
this holds nothing: each worker still acquires its lane`
	if text != want {
		t.Errorf("got:\n%s\nwant:\n%s", text, want)
	}
	if text := price(t, nil).String(); text != "HOLD_EMPTY the partition has no worker\n" {
		t.Errorf("got %q", text)
	}
}
