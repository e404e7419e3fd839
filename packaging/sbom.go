package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"runtime/debug"
	"strings"
	"time"
)

const ownPath = "github.com/git-dos/git-dos"

// A bill is a CycloneDX document of the parts of one binary. It has no serial
// number, which would have to be drawn by chance.
type bill struct {
	Schema     string      `json:"$schema"`
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   billAbout   `json:"metadata"`
	Components []component `json:"components"`
	Needs      []needs     `json:"dependencies"`
}

type billAbout struct {
	Time      string     `json:"timestamp"`
	Component component  `json:"component"`
	Settings  []property `json:"properties"`
}

type component struct {
	Kind     string     `json:"type"`
	Ref      string     `json:"bom-ref"`
	Name     string     `json:"name"`
	Version  string     `json:"version"`
	Hashes   []hash     `json:"hashes,omitempty"`
	Licences []licence  `json:"licenses,omitempty"`
	URL      string     `json:"purl"`
	Details  []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type needs struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// newBill lists the modules of a binary. Their sums are those of go.sum, which
// are of a module's whole tree and not of one file: so they are properties.
func newBill(version, commit string, at time.Time, binary []byte, modules []module, info *debug.BuildInfo) ([]byte, error) {
	sum := sha256.Sum256(binary)
	own := newComponent("application", ownPath, version, []string{"Apache-2.0"})
	own.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	own.Details = []property{{"git:commit", commit}}
	b := bill{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: billAbout{Time: at.Format(time.RFC3339), Component: own}, Needs: []needs{{Ref: own.Ref, On: []string{}}}}
	b.Metadata.Settings = append(b.Metadata.Settings, property{"go:version", info.GoVersion})
	for _, s := range info.Settings {
		b.Metadata.Settings = append(b.Metadata.Settings, property{"go:build:" + s.Key, s.Value})
	}
	for _, m := range modules {
		c := newComponent("library", m.path, m.version, m.licences)
		if m.sum != "" {
			c.Details = []property{{"go:sum", m.sum}}
		}
		b.Components = append(b.Components, c)
		b.Needs[0].On = append(b.Needs[0].On, c.Ref)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(b)
	return out.Bytes(), err
}

func newComponent(kind, path, version string, licences []string) component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Kind: kind, Ref: url, Name: path, Version: version, URL: url}
	for _, id := range licences {
		var l licence
		l.Licence.ID = id
		c.Licences = append(c.Licences, l)
	}
	return c
}
