package verdict

import "testing"

func TestAWordThatIsNotThereIsNull(t *testing.T) {
	for word, want := range map[string]string{"": "null", "a": `"a"`, "a\"b": `"a\"b"`} {
		if got, err := OrNull(word); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v; want %s", word, got, err, want)
		}
	}
}
