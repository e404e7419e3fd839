package pick

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// sidecarSchema is what a sidecar says that it is.
const sidecarSchema = "oc3-dispositions-v1"

// Why a unit is in a packet and not live.
const (
	DropShipped = "shipped"       // it is done
	DropClaimed = "soft_claimed"  // somebody else is about to do it
	DropQuota   = "quota_blocked" // nobody may be started for it now
)

// viaDirect is how a unit shipped whose own commit names it.
const viaDirect = "direct"

// A Disposition is what a packet made of one unit.
type Disposition struct {
	Unit       string // PLAN/PHASE, "" where the renderer does not say
	Series     string
	Phase      string
	Live       bool
	DropReason string // "" for a live one
	ShipVia    string
	ShipSha    string
	Unstamped  bool // it shipped, and its plan document does not say so
	ClaimTag   string
}

// A Sidecar is the file beside a packet that says for programs what is in it.
type Sidecar struct {
	Tag          string
	GeneratedAt  time.Time // zero where it does not say
	Dispositions []Disposition
}

// SidecarName is the name of the sidecar of a tag.
func SidecarName(tag string) string { return sidecarPrefix + tag + ".json" }

const sidecarPrefix = ".dispositions-"

// Tag reads the tag out of the name of a sidecar, without its folder.
func Tag(name string) (string, error) {
	tag, ok := strings.CutPrefix(name, sidecarPrefix)
	tag, end := strings.CutSuffix(tag, ".json")
	if !ok || !end {
		return "", fmt.Errorf("%.200q is not named %s", name, SidecarName("<tag>"))
	}
	return tag, CheckTag(tag)
}

// CheckTag says what is wrong with a tag, which is part of the name of a file.
func CheckTag(tag string) error {
	switch {
	case blank(tag):
		return errors.New("the tag is empty")
	case len(tag) > 200:
		return fmt.Errorf("the tag has %d bytes, at most 200", len(tag))
	case strings.ContainsAny(tag, `/\`), strings.ContainsFunc(tag, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("the tag %.200q cannot be part of a file's name", tag)
	}
	return nil
}
