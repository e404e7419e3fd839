package pick

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// An entry is a disposition as its file holds it.
type entry struct {
	Unit       string `json:"unit,omitempty"`
	Series     string `json:"series,omitempty"`
	Phase      string `json:"phase"`
	Live       bool   `json:"live"`
	DropReason string `json:"drop_reason,omitempty"`
	ShipVia    string `json:"ship_via,omitempty"`
	ShipSha    string `json:"ship_sha,omitempty"`
	Stamped    *bool  `json:"plan_doc_stamped,omitempty"`
	ClaimTag   string `json:"claim_tag,omitempty"`
}

// Encode is the sidecar as its file holds it. It refuses what ParseSidecar
// would not read, a live unit with a reason to drop it, and a unit that stands
// in it twice.
func (s Sidecar) Encode() ([]byte, error) {
	if err := CheckTag(s.Tag); err != nil {
		return nil, err
	}
	list, seen := make([]entry, 0, len(s.Dispositions)), map[string]int{}
	for i, d := range s.Dispositions {
		key := strings.ToLower(d.Unit + "\x00" + d.Series + "\x00" + d.Phase)
		if d.Unit != "" {
			key = strings.ToLower(d.Unit)
		}
		first, twice := seen[key]
		switch {
		case twice:
			return nil, fmt.Errorf("dispositions[%d]: it stands in dispositions[%d] too", i, first)
		case d.Live && d.DropReason != "":
			return nil, fmt.Errorf("dispositions[%d]: it is live and has drop_reason %.80q", i, d.DropReason)
		}
		seen[key] = i
		e := entry{d.Unit, d.Series, d.Phase, d.Live, d.DropReason, d.ShipVia, d.ShipSha, nil, d.ClaimTag}
		if d.Unstamped {
			e.Stamped = new(bool)
		}
		list = append(list, e)
	}
	data, err := encodeFile(struct {
		Schema       string    `json:"schema"`
		Tag          string    `json:"tag"`
		GeneratedAt  time.Time `json:"generated_at,omitzero"`
		Dispositions []entry   `json:"dispositions"`
	}{sidecarSchema, s.Tag, s.GeneratedAt.UTC(), list})
	if err == nil {
		_, err = ParseSidecar(data, s.Tag)
	}
	return data, err
}

func encodeFile(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
