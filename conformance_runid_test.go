package gitdos_test

import "github.com/git-dos/git-dos/kernel/runid"

func runID(in struct {
	Op      string
	TSMs    int64 `json:"ts_ms"`
	Entropy uint32
	Token   string
}) any {
	if in.Op == "decode" {
		ms, ok := runid.Decode(in.Token)
		if !ok {
			return map[string]any{"valid": false, "ts_ms": nil}
		}
		return map[string]any{"valid": true, "ts_ms": ms}
	}
	m, err := runid.Mint(in.TSMs, in.Entropy, runid.Lineage{Process: "loop"})
	if err != nil {
		return map[string]any{"error": "contract", "exit": 2}
	}
	return map[string]any{"run_id": m.RunID, "process_id": m.ProcessID, "parent_id": m.ParentID, "root_id_is_self": m.RootID == m.RunID}
}
