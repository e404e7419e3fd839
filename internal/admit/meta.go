package admit

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

const metaRef = "refs/dos/meta/format"

// LayoutVersion is the version of the refs as a whole.
const LayoutVersion = 1

// Meta is the record on meta/format: which layout the refs follow and whose
// they are.
type Meta struct {
	V       int       `json:"v"`
	Fleet   string    `json:"fleet"` // "" in a repository without a fleet
	Created time.Time `json:"created_at"`
}

// readMeta returns nil when there is none.
func readMeta(s refstore.Snapshot) (*Meta, error) {
	tip := s.Tip(metaRef)
	if tip.Err != nil || tip.ID == "" {
		return nil, tip.Err
	}
	var m Meta
	if err := json.Unmarshal(tip.Entry.Payload, &m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", refstore.ErrBroken, metaRef, err)
	}
	if m.V != LayoutVersion {
		return nil, fmt.Errorf("%w: refs of layout %d, this git-dos knows %d", refstore.ErrFormat, m.V, LayoutVersion)
	}
	return &m, nil
}

func (m Meta) write(at time.Time) (refstore.Write, error) {
	payload, err := json.Marshal(m)
	return refstore.Write{Ref: metaRef, Entry: refstore.Entry{Op: "INIT", Gen: 1, Payload: payload, At: at}}, err
}
