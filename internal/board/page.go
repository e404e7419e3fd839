package board

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"stamp": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"class": func(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "-") },
		"deref": func(t *time.Time) time.Time { return *t },
	}).Parse(pageHTML))
})

// How much of what grows stands on the page where no script runs; with one, all of it
// can be looked at.
const (
	mostSpans  = 5   // of each lane, the newest
	mostEvents = 100 // the newest
)

// Render writes the page. A page that is live asks where it came from, and nowhere
// else, whether there is something new.
func Render(w io.Writer, d Data, live bool) error {
	d = shown(d)
	data, err := compact(d)
	if err != nil {
		return fmt.Errorf("encode the board: %w", err)
	}
	v := view{Data: d, Live: live, CSS: template.CSS(pageCSS), JS: template.JS(pageJS), JSON: template.JS(data), Policy: policy(live)} //nolint:gosec // our own text, and JSON without < > &
	v.fill()
	var page bytes.Buffer
	if err := pageTemplate().Execute(&page, v); err != nil {
		return fmt.Errorf("render the board: %w", err)
	}
	_, err = w.Write(page.Bytes())
	return err
}

// policy is what the page may do: run its own script, and no other; reach nothing
// but, where it is live, its own server.
func policy(live bool) string {
	connect := "'none'"
	if live {
		connect = "'self'"
	}
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; connect-src %s; base-uri 'none'; form-action 'none'", hash(pageCSS), hash(pageJS), connect)
}

// Policy is the policy of the page as a header may state it.
func Policy(live bool) string { return policy(live) + "; frame-ancestors 'none'" }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
