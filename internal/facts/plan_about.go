package facts

import (
	"context"

	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/refstore"
)

// maxPlanAbout bounds what is kept of the text about one unit, in bytes.
const maxPlanAbout = 4000

// PlanAbout reads what plan documents of a commit say of units that were read
// from them there, in their words: of each as much as is kept.
func PlanAbout(ctx context.Context, repo *refstore.Repo, commit refstore.OID, units []plan.Unit) ([]string, error) {
	about := make([]string, len(units))
	rows := map[string][]planAt{}
	for i, u := range units {
		for _, at := range u.Places {
			rows[at.File] = append(rows[at.File], planAt{i, plan.Row{Plan: u.Plan, Phase: at.Phase, Line: at.Line}})
		}
	}
	if len(rows) == 0 {
		return about, nil
	}
	blobs, err := planBlobs(ctx, repo, commit, func(path string) bool { return rows[path] != nil })
	if err != nil {
		return nil, err
	}
	err = readPlanBlobs(ctx, repo, blobs, func(b planBlob, text []byte) error {
		d := plan.Parse(text)
		for _, at := range rows[b.path] {
			own := &about[at.unit]
			if *own != "" {
				*own += "\n"
			}
			*own += d.About(at.row, max(0, maxPlanAbout-len(*own)))
		}
		return nil
	})
	return about, err
}

// A planAt is a row of a unit.
type planAt struct {
	unit int
	row  plan.Row
}
