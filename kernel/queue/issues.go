package queue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Bounds of an export.
const (
	MaxExport  = 256 << 20
	maxIssues  = 20_000
	importBody = 2000 // bytes of an issue's text that are kept
)

// An Issue is an issue as a forge exports it.
type Issue struct {
	URL      string
	Number   int
	Title    string
	Body     string
	Labels   []string
	Closed   bool
	Assigned bool
	Created  time.Time
	Updated  time.Time
	Rev      string
}

// ReadIssues reads an array of issues as forges export them: gh issue list
// --json, the REST answers of GitHub and of GitLab. Keys that it does not know
// are passed over, and so are pull requests, which it counts. One entry that
// is no issue makes the whole export unusable; the error names its index.
func ReadIssues(data []byte) (issues []Issue, requests int, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, 0, errors.New("it is not UTF-8")
	}
	var list []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(data))
	var other *json.UnmarshalTypeError
	if err := d.Decode(&list); errors.As(err, &other) {
		return nil, 0, fmt.Errorf("it is no JSON array of issues: it is %s", other.Value)
	} else if err != nil || list == nil {
		return nil, 0, fmt.Errorf("it is no JSON array of issues: %w", cmpErr(err, errors.New("it is null")))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, 0, errors.New("something follows the array: join the pages into one")
	}
	if len(list) > maxIssues {
		return nil, 0, fmt.Errorf("it has %d issues, at most %d", len(list), maxIssues)
	}
	seen := map[string]int{}
	for i, raw := range list {
		issue, request, err := readIssue(raw)
		if err != nil {
			return nil, 0, fmt.Errorf("issue [%d]: %w", i, err)
		}
		if request {
			requests++
			continue
		}
		if first, had := seen[issue.URL]; had {
			return nil, 0, fmt.Errorf("issue [%d]: it is issue [%d] again, %s", i, first, verdict.Show(issue.URL))
		}
		seen[issue.URL] = i
		issues = append(issues, issue)
	}
	return issues, requests, nil
}

func cmpErr(err, or error) error {
	if err != nil {
		return err
	}
	return or
}

// A fields is one object of an export. Its first fault ends the reading of it.
type fields struct {
	of  map[string]json.RawMessage
	err error
}

// one is the value of the first of the keys that is there and not null.
func (f *fields) one(to any, kind string, keys ...string) bool {
	for _, key := range keys {
		raw, ok := f.of[key]
		if !ok || string(raw) == "null" || f.err != nil {
			continue
		}
		if json.Unmarshal(raw, to) != nil {
			f.err = fmt.Errorf("%s is not %s", key, kind)
		}
		return true
	}
	return false
}

func (f *fields) text(keys ...string) (s string) {
	f.one(&s, "a text", keys...)
	return s
}

func (f *fields) time(keys ...string) (t time.Time) {
	s := f.text(keys...)
	if s == "" || f.err != nil {
		return t
	}
	var err error
	if t, err = time.Parse(time.RFC3339, s); err != nil || t.Year() < 1970 || t.Year() > 9999 {
		f.err = fmt.Errorf("%s is no time: %s", keys[0], verdict.Show(s))
	}
	return t.UTC().Truncate(time.Second)
}

// requestURL is the address of a pull or merge request.
var requestURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/(?:pull|merge_requests)/\d+$`) })

func readIssue(raw json.RawMessage) (i Issue, request bool, err error) {
	var f fields
	if json.Unmarshal(raw, &f.of) != nil || f.of == nil {
		return i, false, errors.New("it is no object")
	}
	if pr, ok := f.of["pull_request"]; ok && string(pr) != "null" {
		return i, true, nil
	}
	i.URL = f.address()
	if request = requestURL().MatchString(i.URL); request {
		return i, true, f.err
	}
	var number float64
	if f.one(&number, "a number", "number", "iid"); f.err == nil && (number < 0 || number > maxNumber || number != math.Trunc(number)) {
		f.err = errors.New("number is no number of an issue")
	}
	i.Number = int(number)
	i.Title, i.Body = f.text("title"), f.text("body", "description")
	i.Labels, i.Assigned = f.labels(), f.assigned()
	i.Rev = f.text("updatedAt", "updated_at")
	i.Created, i.Updated = f.time("createdAt", "created_at"), f.time("updatedAt", "updated_at")
	switch state := strings.ToLower(f.text("state")); state {
	case "", "open", "opened", "reopened":
	case "closed":
		i.Closed = true
	default:
		f.err = cmpErr(f.err, fmt.Errorf("state %s is neither open nor closed", verdict.Show(state)))
	}
	if f.err == nil && strings.TrimSpace(i.Title) == "" {
		f.err = errors.New("it has no title")
	}
	return i, false, f.err
}

// address is where people see the issue: what tells it from all others.
func (f *fields) address() string {
	url := plainURL(f.text("html_url", "web_url", "url"))
	switch {
	case f.err != nil:
	case url == "":
		f.err = errors.New("it has none of html_url, web_url and url: export one with it")
	case !validURL(url):
		f.err = fmt.Errorf("its address is no https or http address that can be stored: %s", verdict.Show(Mask(url, Machine{}.Leaks("", url))))
	case secretURL(url):
		f.err = fmt.Errorf("its address has what looks like a key, a token or a password: %s", verdict.Show(url[:strings.IndexAny(url+"?", "?#")]))
	}
	return url
}

// plainURL is an address as it is compared: a host is the same in either case,
// and so is what has a slash at its end and what has none.
func plainURL(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	if !strings.ContainsAny(rest, "?#") {
		rest = strings.TrimRight(rest, "/")
	}
	host, path, slash := strings.Cut(rest, "/")
	if !slash {
		return url
	}
	return scheme + "://" + asciiLower(host) + "/" + path
}

var secretKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[?&#;](?:[a-z]+[_-])*(?:token|key|secret|password|passwd|pwd|auth|sig|signature|jwt)=[^&#;]`)
})

// secretURL reports whether an address lets in whoever has it. A host of a
// private network is none of that: the forge may stand there.
func secretURL(url string) bool {
	return secretKey().MatchString(url) || slices.Contains(Rules(Machine{}.Leaks("", url)), Credential)
}

func (f *fields) labels() (all []string) {
	var list []json.RawMessage
	f.one(&list, "a list", "labels")
	for _, raw := range list {
		var name string
		var named struct {
			Name *string `json:"name"`
		}
		switch {
		case json.Unmarshal(raw, &name) == nil:
		case json.Unmarshal(raw, &named) == nil && named.Name != nil:
			name = *named.Name
		default:
			f.err = cmpErr(f.err, errors.New("labels holds what is no label"))
		}
		if name = oneLine(name, maxWord); name != "" && len(all) < maxList {
			all = append(all, name)
		}
	}
	return all
}

func (f *fields) assigned() bool {
	var list []json.RawMessage
	var one map[string]json.RawMessage
	f.one(&list, "a list", "assignees")
	f.one(&one, "an object", "assignee")
	return len(list) > 0 || len(one) > 0
}

// oneLine is a text on one line that can be shown, of at most so many bytes.
func oneLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(clipped(strings.Join(strings.Fields(s), " "), most))
}

// clipped is the beginning of a text, cut between two runes.
func clipped(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// task is the task of an issue. Text that leaks is left out, and why is noted.
func (i Issue) task(m Machine, at time.Time) Task {
	i.Body = strings.ReplaceAll(strings.ToValidUTF8(i.Body, ""), "\x00", "")
	t := Task{
		ID: idOf(i.URL), Kind: kindOf(i.Labels), Priority: priorityOf(i.Labels), State: Open,
		Source:  &Source{URL: i.URL, Number: i.Number, Closed: i.Closed, Assigned: i.Assigned, Rev: oneLine(i.Rev, maxWord)},
		Created: i.Created, Updated: i.Updated,
	}
	if t.Created.IsZero() {
		t.Created = at
	}
	if t.Updated.IsZero() || t.Updated.After(at) {
		t.Updated = at
	}
	whole := m.Leaks("title", i.Title)
	t.Title = oneLine(Mask(i.Title, whole), MaxTitle)
	if t.Title == "" {
		t.Title = "issue " + strconv.Itoa(i.Number)
	}
	inBody := m.Leaks("body", i.Body)
	if len(inBody) == 0 {
		t.Body = clipped(i.Body, importBody)
		t.Cut = len(t.Body) < len(i.Body)
	}
	for _, l := range i.Labels {
		leaks := m.Leaks("labels", l)
		if len(leaks) == 0 {
			t.Labels = append(t.Labels, l)
		}
		whole = append(whole, leaks...)
	}
	t.Withheld = Rules(append(whole, inBody...))
	if i.Number > 0 {
		t.Until = &Until{Issue: i.Number}
	} else {
		t.State = Draft
	}
	return t
}

// kindOf reads the kind off the labels.
func kindOf(labels []string) Kind {
	for _, k := range []struct {
		kind  Kind
		words []string
	}{
		{Epic, []string{"epic"}}, {Bug, []string{"bug", "defect", "regression"}}, {Question, []string{"question", "support"}},
		{Docs, []string{"documentation", "docs"}}, {Feature, []string{"enhancement", "feature"}}, {Chore, []string{"chore", "maintenance"}},
	} {
		for _, l := range labels {
			l = strings.ToLower(l)
			_, after, _ := strings.Cut(strings.NewReplacer("::", ":", "/", ":").Replace(l), ":")
			if slices.Contains(k.words, l) || slices.Contains(k.words, strings.TrimSpace(after)) {
				return k.kind
			}
		}
	}
	return Work
}

var priorityLabel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:prio(?:rity)?[\s:/_-]*)?p([0-3])$|^(?:prio(?:rity)?|severity)[\s:/_-]+(critical|urgent|high|medium|normal|low)$`)
})

// priorityOf reads the priority off the labels: of several the most urgent.
func priorityOf(labels []string) string {
	best := ""
	for _, l := range labels {
		m := priorityLabel().FindStringSubmatch(strings.ToLower(l))
		if m == nil {
			continue
		}
		p := "P" + m[1]
		switch m[2] {
		case "critical", "urgent":
			p = "P0"
		case "high":
			p = "P1"
		case "medium", "normal":
			p = "P2"
		case "low":
			p = "P3"
		}
		if best == "" || p < best {
			best = p
		}
	}
	return best
}
