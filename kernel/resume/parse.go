package resume

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ParseRow reads a row as it stands on a ref, which anybody may have written:
// the right keys with the right types and within bounds, or an error. Keys it
// does not know are ignored.
func ParseRow(data []byte) (Row, error) {
	o, err := readObject(data)
	if err != nil {
		return Row{}, fmt.Errorf("%w: %w", ErrRow, err)
	}
	return o.row()
}

// row reads the object. The kind of the record is judged before its version,
// and the version before anything that the version could have changed.
func (o object) row() (Row, error) {
	if err := o.kind(); err != nil {
		return Row{}, err
	}
	var op string
	if err := o.read("op", &op); err != nil || op == "" {
		return Row{}, fmt.Errorf("%w: op is missing or no string", ErrRow)
	}
	if !slices.Contains(ops, op) {
		return Row{}, fmt.Errorf("%w: op %.40q", ErrOther, op)
	}
	r := Row{V: Version, Op: op}
	err := o.fields(&r)
	if err == nil && r.RunID == "" {
		err = errors.New("run_id is missing")
	}
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return Row{}, fmt.Errorf("%w: %s: %w", ErrRow, op, err)
	}
	return r, nil
}

func (o object) fields(r *Row) error {
	var turn, round int64
	if o["checkpoint_turn"] != nil {
		r.CheckpointTurn = &turn
	}
	for key, into := range map[string]any{
		"run_id": &r.RunID, "round": &round,
		"goal": &r.Goal, "plan": &r.Plan, "phase": &r.Phase, "start_sha": &r.StartSha,
		"declared_steps": &r.DeclaredSteps, "step_regions": &r.StepRegions,
		"step_id": &r.StepID, "sha": &r.Sha, "via": &r.Via,
		"reason": &r.Reason, "resume_sha": &r.ResumeSha, "residual": &r.Residual,
		"checkpoint_turn": &turn, "transcript_digest": &r.TranscriptDigest, "predecessor_run_id": &r.PredecessorRunID,
	} {
		if err := o.read(key, into); err != nil {
			return err
		}
	}
	r.Round = uint64(round) // a negative one is over every bound
	return nil
}

// kind reads the tag of a record and its version. A tag that is not shaped like
// one is no tag.
func (o object) kind() error {
	var tag object
	if raw := o["schema"]; raw != nil {
		tag, _ = readObject(raw)
	}
	var of string
	var version int64
	if tag.read("family", &of) == nil && tag.read("version", &version) == nil && of != "" && version >= 1 {
		switch {
		case of != family:
			return fmt.Errorf("%w: it is tagged %.40q", ErrOther, of)
		case version > Version:
			return fmt.Errorf("%w: version %d, this git-dos reads up to %d", ErrNewer, version, Version)
		}
	}
	version = Version
	if err := o.read("v", &version); err != nil || version < 1 {
		return fmt.Errorf("%w: v is no version", ErrRow)
	}
	if version > Version {
		return fmt.Errorf("%w: version %d, this git-dos reads up to %d", ErrNewer, version, Version)
	}
	return nil
}

// read decodes the value of a key, which may be missing but not null: a value
// that is there is of the type that was asked for.
func (o object) read(key string, into any) error {
	raw, ok := o[key]
	if !ok {
		return nil
	}
	var err error
	switch into := into.(type) {
	case *string:
		*into, err = readString(raw)
	case *int64:
		*into, err = strconv.ParseInt(string(raw), 10, 64)
	case *[]string:
		*into, err = readStrings(raw)
	case *map[string][]string:
		*into, err = readRegions(raw)
	}
	if err != nil {
		return fmt.Errorf("%s is of another type than it should be", key)
	}
	return nil
}

func readString(raw json.RawMessage) (s string, err error) {
	if raw[0] != '"' {
		return "", errors.New("no string")
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	err = json.Unmarshal(raw, &s)
	return s, err
}

func readStrings(raw json.RawMessage) ([]string, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || raw[0] != '[' {
		return nil, errors.New("no list")
	}
	list := make([]string, 0, min(len(items), maxList+1))
	for _, item := range items {
		s, err := readString(item)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func readRegions(raw json.RawMessage) (map[string][]string, error) {
	o, err := readObject(raw)
	if err != nil {
		return nil, err
	}
	regions := make(map[string][]string, len(o))
	for step, globs := range o {
		if regions[step], err = readStrings(globs); err != nil {
			return nil, err
		}
	}
	return regions, nil
}
