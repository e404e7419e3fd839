package gitdos_test

import "github.com/git-dos/git-dos/kernel/lane"

func treeNorm(in struct{ Entry string }) any {
	return map[string]any{"prefix": lane.NormPrefix(in.Entry)}
}

func treeDisjoint(in struct{ A, B []string }) any {
	return map[string]any{"disjoint": lane.Prefix.Disjoint(in.A, in.B)}
}

type overlapInput struct {
	Requested []string
	Lease     []string
	RatioMax  float64 `json:"ratio_max"`
}

func overlap(in overlapInput) any {
	return lane.Prefix.Score(in.Requested, in.Lease, in.RatioMax)
}

func leaseBlocks(in overlapInput) any {
	return map[string]any{"blocks": lane.Prefix.Blocks(in.Requested, in.Lease, in.RatioMax)}
}

func selfModify(in struct {
	Tree         []string
	RuntimeFiles []string `json:"runtime_files"`
}) any {
	return map[string]any{"hits": lane.Prefix.SelfModifyHits(in.Tree, in.RuntimeFiles)}
}

func regionConflict(in struct {
	Requested     []string
	RequestedMode string `json:"requested_mode"`
	Lease         []string
	LeaseMode     string `json:"lease_mode"`
}) any {
	conflict := lane.Prefix.RegionConflict(in.Requested, in.RequestedMode, in.Lease, in.LeaseMode)
	return map[string]any{"conflict": conflict}
}
