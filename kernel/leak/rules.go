package leak

import (
	"bytes"
	_ "embed" // the rules
	"encoding/json"
	"regexp"
	"sync"
	"unicode/utf8"
)

// rulesText is the data of gitleaks: a header, then a rule a line. It is
// generated, and tests hold it to the shape it must have.
//
//go:embed gitleaks.jsonl
var rulesText []byte

// A rule is one shape.
type rule struct {
	ID      string   `json:"id"`
	Regex   string   `json:"regex"`
	Group   int      `json:"group"`
	Entropy float64  `json:"entropy"`
	Words   []string `json:"words"`
	Reach   int      `json:"reach"`
	Lines   bool     `json:"lines"`
	Far     bool     `json:"far"`
	Least   int      `json:"least"`
	Bytes   string   `json:"bytes"`
	Assign  bool     `json:"assigned"`
	Path    string   `json:"path"`
	Allow   []allow  `json:"allow"`

	kind  Kind
	prose bool // only for text that leaves through other doors
	but   func(m match) bool
	order int
	bytes [256]bool
	re    func() *regexp.Regexp
	path  func() *regexp.Regexp
}

// An allow is what a rule finds and what is no secret after all.
type allow struct {
	Condition string   `json:"condition"`
	Paths     []string `json:"paths"`
	Target    string   `json:"target"`
	Regexes   []string `json:"regexes"`
	Stop      []string `json:"stop"`

	paths, regexes func() []*regexp.Regexp
	stop           func() *finder
}

// A ruleSet are all rules, and the words that lead to them. Each expression is
// compiled when it is first tried.
type ruleSet struct {
	version string
	allow   allow // of all rules of gitleaks
	rules   []*rule
	words   *finder
	byWord  [][]*rule
	rank    map[string]int // by rule: of two that find the same, the lower one says it
}

// genericRule is gitleaks' rule for what is assigned to a name such as "key".
const genericRule = "generic-api-key"

// mostReach bounds what a rule is tried on around a word.
const mostReach = 8 << 10

var allRules = sync.OnceValues(func() (*ruleSet, error) { return readRules(rulesText, ownRules()) })

// readRules reads the data and puts the own rules behind it.
func readRules(data []byte, own []*rule) (*ruleSet, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var head struct {
		Version string `json:"version"`
		Allow   allow  `json:"allow"`
	}
	if err := dec.Decode(&head); err != nil {
		return nil, err
	}
	s := &ruleSet{version: head.Version, allow: head.Allow}
	s.allow.prepare()
	for dec.More() {
		r := &rule{kind: Secret}
		if err := dec.Decode(r); err != nil {
			return nil, err
		}
		s.rules = append(s.rules, r)
	}
	s.rules = append(s.rules, own...)
	s.index()
	return s, nil
}

func (s *ruleSet) index() {
	at := map[string]int{}
	var words []string
	s.rank = map[string]int{}
	for i, r := range s.rules {
		r.prepare(i)
		s.rank[r.ID] = i
		switch {
		case r.ID == genericRule: // what a thing is called tells more than how it is assigned
			s.rank[r.ID] = len(s.rules)
		case r.prose:
			s.rank[r.ID] += len(s.rules) + 1
		}
		for _, w := range r.Words {
			if _, ok := at[w]; !ok {
				at[w] = len(words)
				words = append(words, w)
				s.byWord = append(s.byWord, nil)
			}
			s.byWord[at[w]] = append(s.byWord[at[w]], r)
		}
	}
	s.words = newFinder(words)
}

func (r *rule) prepare(order int) {
	r.order = order
	r.re = lazily(r.Regex)
	r.path = lazily(r.Path)
	if r.Reach == 0 || r.Reach > mostReach {
		r.Reach = mostReach
	}
	for c := range r.bytes {
		r.bytes[c] = c >= utf8.RuneSelf
	}
	for i := 0; i+1 < len(r.Bytes); i += 2 {
		for c := int(r.Bytes[i]); c <= int(r.Bytes[i+1]); c++ {
			r.bytes[c] = true
		}
	}
	r.Reach++ // so that a match which has the word never begins or ends at a cut
	for i := range r.Allow {
		r.Allow[i].prepare()
	}
}

func (a *allow) prepare() {
	a.paths, a.regexes = allLazily(a.Paths), allLazily(a.Regexes)
	a.stop = sync.OnceValue(func() *finder { return newFinder(a.Stop) })
}

// lazily compiles an expression when it is first needed. The expressions are
// part of the program, and a test compiles every one.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func allLazily(exprs []string) func() []*regexp.Regexp {
	return sync.OnceValue(func() (all []*regexp.Regexp) {
		for _, e := range exprs {
			all = append(all, regexp.MustCompile(e))
		}
		return all
	})
}
