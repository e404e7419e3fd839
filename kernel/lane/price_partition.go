package lane

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MaxPartition bounds the bytes of a partition.
const MaxPartition = 1 << 20

// ParsePartition reads the workers of a partition: {"agents": [...]} or the
// bare array. Of a worker it reads name, lane, lease_id, mode (strings) and
// tree (an array of strings); null is as good as absent, and other keys are
// nobody's business. An error says where in the JSON.
func ParsePartition(data []byte) ([]PriceWorker, error) {
	text, err := jsonText(data, MaxPartition)
	if err != nil {
		return nil, err
	}
	items, where, err := partitionList(text)
	if err != nil {
		return nil, err
	}
	if len(items) > MaxPriceWorkers {
		return nil, fmt.Errorf("has %d workers, more than %d: price it in parts", len(items), MaxPriceWorkers)
	}
	workers := make([]PriceWorker, len(items))
	for i, item := range items {
		if err := workers[i].parse(item, fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return nil, err
		}
	}
	return workers, nil
}

// partitionList returns the list of workers, and where in the text it stands.
func partitionList(text json.RawMessage) (items []json.RawMessage, where string, err error) {
	if jsonKind(text) != "an object" {
		err = jsonValue(text, "an array", "the partition", &items)
		return items, "", err
	}
	top, err := jsonObject(text, "the partition")
	if err != nil {
		return nil, "", err
	}
	list, ok := top["agents"]
	if !ok {
		return nil, "", errors.New(`has no key "agents": want {"agents": [...]} or an array`)
	}
	err = jsonValue(list, "an array", "agents", &items)
	return items, "agents", err
}

// parse reads one worker; where is its place in the JSON.
func (w *PriceWorker) parse(item json.RawMessage, where string) error {
	fields, err := jsonObject(item, where)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		key string
		to  *string
	}{{"name", &w.Name}, {"lane", &w.Lane}, {"lease_id", &w.LeaseID}, {"mode", &w.Mode}} {
		if raw, given := jsonField(fields, f.key); given {
			if err := jsonValue(raw, "a string", where+"."+f.key, f.to); err != nil {
				return err
			}
		}
	}
	raw, given := jsonField(fields, "tree")
	if !given {
		return nil
	}
	w.Tree, err = jsonStrings(raw, where+".tree")
	return err
}
