package main

import (
	"encoding/json"
	"fmt"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// receiptWords are what a line tells of a row of a ledger beside lane and owner: of a
// receipt and of what was let through the reason's class, the ref, the commit and
// the verdict; of other rows nothing.
func receiptWords(t refstore.Tip) (words []string) {
	var row struct {
		Class   string `json:"reason_class"`
		Ref     string `json:"ref"`
		Sha     string `json:"sha"`
		Verdict string `json:"verdict"`
	}
	if t.Entry.Op != journal.OpGate && t.Entry.Op != journal.OpOverride || json.Unmarshal(t.Entry.Payload, &row) != nil {
		return nil
	}
	for _, word := range []string{row.Class, row.Ref, fmt.Sprintf("%.12s", row.Sha), row.Verdict} {
		if word != "" {
			words = append(words, word)
		}
	}
	return words
}
