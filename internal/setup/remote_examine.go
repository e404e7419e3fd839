package setup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// branchPrefix is where refs can live on a host that takes branches alone.
const branchPrefix = "refs/heads/dos"

// ExamineRemote is Examine, and goes on to try out on a remote what git-dos
// needs of one: the fleet's when name is empty. It creates scratch refs there
// and deletes them where it may. With a repair it also removes the lock files that
// killed transactions left there, where the remote is a path of this machine.
func ExamineRemote(ctx context.Context, dir string, now func() time.Time, name string, repair *Repair) (Examination, error) {
	e, err := Examine(ctx, dir, now, repair)
	if err != nil {
		return e, err
	}
	x := &examiner{now: now, Examination: e}
	if x.repo, err = refstore.Open(ctx, dir); err == nil {
		x.remote(ctx, name, repair != nil)
	} else if x.Errors == 0 {
		x.unknown("REPOSITORY", err)
	}
	return x.Examination, context.Cause(ctx)
}

// An asked remote is one whose answers become checks.
type asked struct {
	*examiner
	name   string
	fleets bool // it is the fleet's
	policy policy.Policy
}

// remote reports how a remote serves, each thing by itself.
func (x *examiner) remote(ctx context.Context, name string, fix bool) {
	r := asked{examiner: x, name: name, policy: policy.Default()}
	rules, err := facts.LoadRules(ctx, x.repo)
	switch {
	case err == nil && rules.Remote != "" && (name == "" || name == rules.Remote):
		r.name, r.fleets, r.policy = rules.Remote, true, rules.Policy
	case name == "" && err != nil:
		x.add(Check{ID: "REMOTE_REACH", Severity: Error, Detail: "the fleet's remote is not known: " + err.Error(), Remedy: "name one: git dos doctor --remote NAME"})
		return
	case name == "":
		x.add(Check{ID: "REMOTE_REACH", Severity: Error, Detail: "there is no fleet, so no remote of its own", Remedy: "name one: git dos doctor --remote NAME"})
		return
	}
	prefix := r.policy.Fleet.Prefix
	a, err := x.repo.Remote(r.name, prefix)
	if err != nil {
		x.add(Check{ID: "REMOTE_REACH", Severity: Error, Target: r.name, Detail: err.Error(), Remedy: "git remote -v lists the remotes"})
		return
	}
	p, err := a.Probe(ctx)
	if err != nil {
		r.unreached(err)
		return
	}
	r.check("REMOTE_REACH", OK, "answers", "")
	r.locks(ctx, a, fix)
	if r.fleets {
		r.state(ctx)
	}
	if r.namespace(prefix, p) || r.fallback(ctx, prefix, &p) {
		r.probed(p)
	}
}

func (r asked) check(id string, severity Severity, detail, remedy string) {
	r.add(Check{ID: id, Severity: severity, Target: r.name, Detail: detail, Remedy: remedy})
}

func (r asked) unreached(err error) {
	r.check("REMOTE_REACH", Error, err.Error(), "git ls-remote "+verdict.ShellWord(r.name)+" has to work without asking anything; nothing else about it is known")
}

// state reports what the fleet's remote has, and has lost, asked now.
func (r asked) state(ctx context.Context) {
	const id = "REMOTE_STATE"
	desk, err := admit.Open(ctx, r.repo, r.now)
	if err == nil {
		err = desk.Refresh(ctx, false)
	}
	var lost *refstore.LostStateError
	switch {
	case errors.As(err, &lost):
		r.check(id, Error, err.Error(), "git dos sync shows what is gone, git dos sync --republish gives back what this clone last saw")
	case err != nil:
		r.check(id, Error, err.Error(), hintOf(err))
	default:
		r.check(id, OK, "fleet "+r.policy.Fleet.ID+"; nothing that was seen there is gone", "")
	}
}

// namespace reports whether refs can be created below a prefix and seen.
func (r asked) namespace(prefix string, p refstore.Probing) bool {
	const id = "REMOTE_NAMESPACE"
	o := p.Create
	said := saying(o)
	switch {
	case p.Shown:
		r.check(id, OK, "takes refs below "+prefix, "")
		return true
	case o.Result == refstore.HiddenNames:
		r.check(id, Error, "hides "+prefix+" from writers"+said, r.elsewhere(prefix))
	case o.Result == refstore.Denied:
		r.check(id, Error, "refuses refs below "+prefix+said, r.elsewhere(prefix))
	case o.Result == refstore.Unchanged:
		r.check(id, Error, "does not show a ref below "+prefix+" that was sent"+said, r.elsewhere(prefix))
	default:
		r.check(id, Error, fmt.Sprintf("whether it takes refs below %s cannot be told: %s%s", prefix, o.Result, said), "try again")
	}
	return false
}

// elsewhere is the way out of a prefix that is not taken.
func (r asked) elsewhere(prefix string) string {
	if prefix == branchPrefix {
		return "name another remote for coordination; code may go on living on this one"
	}
	return "see REMOTE_PREFIX"
}

// fallback tries the prefix of branches where the other is refused; p becomes
// what was found out there.
func (r asked) fallback(ctx context.Context, prefix string, p *refstore.Probing) bool {
	const id = "REMOTE_PREFIX"
	if prefix == branchPrefix {
		return false
	}
	a, err := r.repo.Remote(r.name, branchPrefix)
	if err == nil {
		*p, err = a.Probe(ctx)
	}
	switch {
	case err != nil:
		r.check(id, Error, "whether it takes refs below "+branchPrefix+" cannot be told: "+err.Error(), "")
		return false
	case !p.Shown:
		r.check(id, Error, "takes no refs below "+branchPrefix+" either"+saying(p.Create), "name another remote for coordination; code may go on living on this one")
		return false
	}
	remedy := "git dos init --remote " + verdict.ShellWord(r.name) + " --prefix " + branchPrefix
	if r.fleets {
		remedy = "set [fleet] prefix = \"" + branchPrefix + "\" in dos.toml on the trunk, then " + remedy
	}
	r.check(id, Info, "takes refs below "+branchPrefix+"; what follows was tried there", remedy)
	return true
}

// saying adds somebody's words to a sentence.
func saying(o refstore.Outcome) string {
	words := o.Words
	if o.Err != nil {
		words = o.Err.Error()
	}
	if words == "" {
		return ""
	}
	return ": " + words
}
