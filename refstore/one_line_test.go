package refstore

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever is changed in a line, nothing passes that is not one line of JSON.
func TestASoundLineIsOneLineOfJSON(t *testing.T) {
	t.Parallel()
	const line = `{"a":[1,-20,{"b":"x\"y\\z"}],"c":{"d":null,"e":true,"f":false},"g":[],"h":{},"i":0}`
	if !soundLine([]byte(line)) {
		t.Fatal("a line as it is written is left to the decoder")
	}
	dice := rand.New(rand.NewPCG(1, 2))
	pieces := strings.Split("\"|\\|,|:|{|}|[|]| |0|00|-|1.5|01|nul|null|\x00|\n|\r|\xff|\\u0041|\\x|\"k\":|", "|")
	for range 200000 {
		text := line
		for range 1 + dice.IntN(2) {
			at := dice.IntN(len(text) + 1)
			text = text[:at] + pieces[dice.IntN(len(pieces))] + text[min(len(text), at+dice.IntN(3)):]
		}
		if b := []byte(text); soundLine(b) && (!json.Valid(b) || bytes.ContainsAny(b, "\n\r\x00")) {
			t.Fatalf("%q passes", text)
		}
	}
	for _, text := range []string{"", "{", `{"a"`, `{"a":`, `["a`, `[1,`, `{,}`, `[1,]`, strings.Repeat("[", 100000)} {
		if oneLine([]byte(text)) {
			t.Errorf("%.20q is one line of JSON", text)
		}
	}
	for _, text := range []string{`{"a": 1.5e3}`, `"\u00e9"`, strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		if !oneLine([]byte(text)) {
			t.Errorf("%.20q is none", text)
		}
	}
}
