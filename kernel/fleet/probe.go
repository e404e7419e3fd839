package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// ProbeState is the closed vocabulary of what a probe tells.
type ProbeState string

const (
	ProbeAvailable   ProbeState = "AVAILABLE"
	ProbeUnavailable ProbeState = "UNAVAILABLE" // the account takes no work, until a time where that is told
	ProbeUnreadable  ProbeState = "UNREADABLE"  // it said nothing that can be read, or ran too long
)

// A Probe is what the probe of an account told.
type Probe struct {
	State  ProbeState `json:"state"`
	Until  *time.Time `json:"until,omitempty"`
	Reason string     `json:"reason"`
}

// MaxProbeOutput bounds what a probe prints, in bytes.
const MaxProbeOutput = 4 << 10

// maxProbeAhead bounds the time that a probe names.
const maxProbeAhead = 31 * 24 * time.Hour

// Exit statuses of a probe.
const (
	probeYes = 0
	probeNo  = 3
)

// ReadProbe reads how a probe ended by itself and what it printed. Status 0 and no
// output: the account is available. Status 3: it is not; a line of JSON may say
// until when, as in {"until":"2030-01-02T15:00:00Z"}. Everything else says nothing
// of the account. No reason repeats what was printed.
func ReadProbe(status int, printed []byte, now time.Time) Probe {
	printed = bytes.TrimSpace(printed)
	switch {
	case status != probeYes && status != probeNo:
		return Unreadable("its probe ended with status %d", status)
	case status == probeYes && len(printed) > 0:
		return Unreadable("its probe says that it is available, and something else")
	case status == probeYes:
		return Probe{State: ProbeAvailable, Reason: "its probe says that it is available"}
	case len(printed) == 0:
		return Probe{State: ProbeUnavailable, Reason: "its probe says that it takes no work"}
	}
	until, err := probeUntil(printed)
	switch {
	case err != nil:
		return Unreadable("its probe says that it takes no work, and what it printed is no line of JSON with until, a time")
	case !until.After(now):
		return Unreadable("its probe says that it takes no work until %s, which is over", until.Format(time.RFC3339))
	case until.Sub(now) > maxProbeAhead:
		return Unreadable("its probe says that it takes no work for more than %d days", int(maxProbeAhead/(24*time.Hour)))
	}
	return Probe{State: ProbeUnavailable, Until: &until, Reason: "its probe says that it takes no work until " + until.Format(time.RFC3339)}
}

// Unreadable is the answer of a probe that told nothing, and why.
func Unreadable(format string, args ...any) Probe {
	return Probe{State: ProbeUnreadable, Reason: fmt.Sprintf(format, args...)}
}

func probeUntil(printed []byte) (time.Time, error) {
	dec := json.NewDecoder(bytes.NewReader(printed))
	dec.DisallowUnknownFields()
	var said struct {
		Until string `json:"until"`
	}
	if err := dec.Decode(&said); err != nil {
		return time.Time{}, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return time.Time{}, fmt.Errorf("more than one value")
	}
	until, err := time.Parse(time.RFC3339, said.Until)
	return until.UTC().Truncate(time.Second), err
}
