package lane

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// MaxLeases bounds the bytes of the leases that a caller hands over, and
// maxLeaseRows how many there are.
const (
	MaxLeases    = 1 << 20
	maxLeaseRows = 10_000
)

// UnreadableState is the state of a row whose record could not be read.
const UnreadableState State = "unreadable"

// ParseLeases reads the leases a caller knows of: a JSON array of objects with
// the keys lane, lane_kind, tree, state, nonce and holder, which is text or an
// object with the keys node, owner and worker. Other keys are not looked at; what
// lease live prints is legal. A row of state free is left out, and one without
// a state is held. A row of state unreadable may do without a lane; its reason
// says why it could not be read, and with admitted false it is in the way of its
// name alone. A row that rides the lease of another row is a claim inside that, and
// left out with it.
//
// Anything else is an error, and so is text beyond 1 MiB or 10,000 rows. What
// a tree holds is not judged here: one that cannot be read names every file.
func ParseLeases(data []byte) ([]Lease, error) {
	text, err := jsonText(data, MaxLeases)
	if err != nil {
		return nil, fmt.Errorf("the list of leases %w", err)
	}
	var rows []json.RawMessage
	if err := jsonValue(text, "an array", "the list of leases", &rows); err != nil {
		return nil, err
	}
	if len(rows) > maxLeaseRows {
		return nil, fmt.Errorf("the list of leases has %d rows, more than %d", len(rows), maxLeaseRows)
	}
	leases := make([]Lease, 0, len(rows))
	inside := map[int]mount{}
	for i, row := range rows {
		l, err := parseLease(row, fmt.Sprintf("lease %d", i+1))
		if err != nil {
			return nil, err
		}
		if m, ok := rides(row); ok {
			inside[len(leases)] = m
		}
		if l.State != Free {
			leases = append(leases, l)
		}
	}
	return withoutClaims(leases, inside), nil
}

// A mount is the lease that a claim stands on, as its row says.
type mount struct {
	Lane, Nonce, Through string
}

// rides is the lease that a row is a claim inside of.
func rides(row json.RawMessage) (m mount, ok bool) {
	fields, err := jsonObject(row, "lease")
	if err != nil {
		return m, false
	}
	raw, given := jsonField(fields, "rides")
	return m, given && json.Unmarshal(raw, &m) == nil && m.Lane != ""
}

// withoutClaims leaves out the claims inside leases that are listed themselves: others
// meet those. inside maps the place of a claim to its lease.
func withoutClaims(leases []Lease, inside map[int]mount) []Lease {
	if len(inside) == 0 {
		return leases
	}
	var bind []Lease
	listed := map[[2]string]bool{}
	for i, l := range leases {
		if _, claim := inside[i]; !claim && l.Nonce != "" {
			listed[[2]string{l.Lane, l.Nonce}] = true
		}
	}
	for i, l := range leases {
		if m, claim := inside[i]; !claim || !listed[[2]string{m.Lane, m.Nonce}] && !listed[[2]string{m.Lane, m.Through}] {
			bind = append(bind, l)
		}
	}
	return bind
}

// parseLease reads one row; where is its place in the list.
func parseLease(row json.RawMessage, where string) (l Lease, err error) {
	fields, err := jsonObject(row, where)
	if err != nil {
		return l, err
	}
	state := string(Held)
	for _, f := range []struct {
		key string
		to  *string
	}{{"lane", &l.Lane}, {"lane_kind", &l.Kind}, {"nonce", &l.Nonce}, {"state", &state}} {
		if raw, given := jsonField(fields, f.key); given {
			if err := jsonValue(raw, "a string", where+": "+f.key, f.to); err != nil {
				return l, err
			}
		}
	}
	if raw, given := jsonField(fields, "tree"); given {
		if l.Tree, err = jsonStrings(raw, where+": tree"); err != nil {
			return l, err
		}
	}
	if raw, given := jsonField(fields, "holder"); given {
		if l.Holder, err = parseHolder(raw, where+": holder"); err != nil {
			return l, err
		}
	}
	l.State = State(state)
	switch {
	case l.State == UnreadableState:
		l.State = Held
		return unreadableLease(l, fields), nil
	case l.State != Free && l.Lane == "":
		return l, errors.New(where + " has no lane")
	}
	return l, nil
}

// unreadableLease adds the words there are for a record that cannot be read,
// whatever they are, and the slot it stands on where its lane is not known.
func unreadableLease(l Lease, fields map[string]json.RawMessage) Lease {
	var slot string
	admitted := true
	_ = json.Unmarshal(fields["reason"], &l.Unreadable)
	_ = json.Unmarshal(fields["slot"], &slot)
	_ = json.Unmarshal(fields["admitted"], &admitted)
	l.NameOnly = !admitted
	if l.Unreadable == "" {
		l.Unreadable = "it could not be when these leases were listed"
	}
	if l.Lane == "" && IsSlot(slot) {
		l.Lane = slot
	}
	return l
}

// parseHolder reads a holder of either form, as one text.
func parseHolder(raw json.RawMessage, where string) (name string, err error) {
	if jsonKind(raw) != "an object" {
		err = jsonValue(raw, "a string", where, &name)
		return name, err
	}
	fields, err := jsonObject(raw, where)
	if err != nil {
		return "", err
	}
	var node, owner, worker string
	for key, to := range map[string]*string{"node": &node, "owner": &owner, "worker": &worker} {
		if raw, given := jsonField(fields, key); given {
			if err := jsonValue(raw, "a string", where+" "+key, to); err != nil {
				return "", err
			}
		}
	}
	owner = cmp.Or(owner, worker, "an unnamed holder")
	if node == "" || strings.HasSuffix(owner, "@"+node) {
		return owner, nil
	}
	return owner + " on " + node, nil
}
