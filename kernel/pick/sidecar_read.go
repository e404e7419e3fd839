package pick

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ParseSidecar reads the sidecar of a tag. One entry that is malformed fails
// all of it, and the error names its index; keys that nothing reads are let
// pass.
func ParseSidecar(data []byte, tag string) (Sidecar, error) {
	if err := checkText(data, MaxPacket); err != nil {
		return Sidecar{}, fmt.Errorf("the sidecar %w", err)
	}
	all, err := members(data)
	if err != nil {
		return Sidecar{}, fmt.Errorf("the sidecar %w", err)
	}
	f := fields{of: all}
	s := Sidecar{Tag: tag}
	if schema := f.text("schema"); f.err == nil && schema != sidecarSchema {
		return Sidecar{}, fmt.Errorf("schema is %.80q, want %q", schema, sidecarSchema)
	}
	if said, ok := all["tag"]; ok {
		if own := f.text("tag"); f.err == nil && (own != tag) {
			return Sidecar{}, fmt.Errorf("tag is %.80s, and the file's is %.80q", said, tag)
		}
	}
	if f.err != nil {
		return Sidecar{}, f.err
	}
	s.GeneratedAt = stamp(all["generated_at"])
	s.Dispositions, err = dispositions(all["dispositions"])
	return s, err
}

// ParseDispositions reads a list of dispositions on its own.
func ParseDispositions(data []byte) ([]Disposition, error) {
	if err := checkText(data, MaxPacket); err != nil {
		return nil, fmt.Errorf("the list %w", err)
	}
	return dispositions(data)
}

func dispositions(data []byte) ([]Disposition, error) {
	if data == nil {
		return nil, errors.New("dispositions is missing")
	}
	entries, err := elements(data)
	if err != nil {
		return nil, fmt.Errorf("dispositions %w", err)
	}
	list, at := make([]Disposition, 0, len(entries)), map[string]int{}
	for i, entry := range entries {
		d, err := disposition(entry)
		if err != nil {
			return nil, fmt.Errorf("dispositions[%d]: %w", i, err)
		}
		if first, twice := at[d.Unit]; twice && d.Unit != "" {
			return nil, fmt.Errorf("dispositions[%d]: unit %.80q stands in dispositions[%d] too", i, d.Unit, first)
		}
		at[d.Unit] = i
		list = append(list, d)
	}
	return list, nil
}

func disposition(entry []byte) (Disposition, error) {
	all, err := members(entry)
	if err != nil {
		return Disposition{}, fmt.Errorf("it %w", err)
	}
	f := fields{of: all}
	d := Disposition{
		Unit: f.text("unit"), Series: f.text("series"), Phase: f.text("phase"), Live: f.flag("live", false), DropReason: f.text("drop_reason"),
		ShipVia: f.text("ship_via"), ShipSha: f.text("ship_sha"), Unstamped: !f.flag("plan_doc_stamped", true), ClaimTag: f.text("claim_tag"),
	}
	if alias := f.text("phase_id"); d.Phase == "" {
		d.Phase = alias
	}
	switch {
	case f.err != nil:
		return d, f.err
	case blank(d.Phase):
		return d, errors.New("phase is missing or blank")
	case d.Unit != "" && blank(d.Unit):
		return d, errors.New("unit is blank")
	case d.Live:
	case d.DropReason == "":
		return d, errors.New("drop_reason is missing, and it is not live")
	case d.DropReason != DropShipped && d.DropReason != DropClaimed && d.DropReason != DropQuota:
		return d, fmt.Errorf("drop_reason %.80q is none of %s, %s and %s", d.DropReason, DropShipped, DropClaimed, DropQuota)
	}
	if d.Series == "" {
		d.Series = series(d.Phase)
	}
	return d, nil
}

// series is the phase without the number at its end, unless nothing else is
// left of it.
func series(phase string) string {
	if s := strings.TrimRight(phase, "0123456789."); s != "" {
		return s
	}
	return phase
}

// stamp is a time, zero for anything else.
func stamp(raw json.RawMessage) time.Time {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
