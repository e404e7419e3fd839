package facts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A Trunk is the branch that work is shipped to.
type Trunk struct {
	Branch string       // on the authority: refs/heads/main
	Ref    string       // here: the branch itself, or the remote-tracking ref
	ID     refstore.OID // its tip here, "" when it is unborn or was never fetched
}

// Commit is the tip's id as records hold it.
func (t Trunk) Commit() string { return string(t.ID) }

// Short is the branch's name without refs/heads/.
func (t Trunk) Short() string { return strings.TrimPrefix(t.Branch, "refs/heads/") }

// ErrNoTrunk means that nothing here says which branch of a remote work is
// shipped to.
var ErrNoTrunk = errors.New("is unknown")

// A TrunkError says why the trunk of a fleet cannot be used, and what to do.
type TrunkError struct {
	Err       error
	Hint      string
	Unfetched string // the branch that is the trunk, where what is wrong is that it is not here
}

func (e *TrunkError) Error() string { return e.Err.Error() }
func (e *TrunkError) Unwrap() error { return e.Err }

// localTrunk is the trunk of a repository without a fleet: the branch that
// [trunk] ref states, else the current one; the zero Trunk when HEAD is
// detached. Where that is the current branch, opening the repository has
// already told its tip.
func localTrunk(ctx context.Context, repo *refstore.Repo, p policy.Policy) (Trunk, error) {
	head, known := repo.Head()
	branch := p.Trunk.Ref
	switch {
	case branch != "" && !strings.HasPrefix(branch, "refs/"):
		branch = "refs/heads/" + branch
	case branch == "" && known:
		branch = head.Branch
	case branch == "":
		var err error
		if branch, err = ancestry.Symbolic(ctx, repo.Git, "HEAD"); err != nil {
			return Trunk{}, err
		}
	}
	if branch == "" {
		return Trunk{}, nil
	}
	if known && branch == head.Branch {
		return Trunk{Branch: branch, Ref: branch, ID: head.ID}, nil
	}
	id, err := repo.RefID(ctx, branch)
	return Trunk{Branch: branch, Ref: branch, ID: id}, err
}

// RemoteTrunk names the branch of a fleet's remote that work is shipped to:
// the one that [trunk] ref states, else the remote's HEAD as it is known here,
// else the remote's main or master if it has been fetched. It is never the
// branch that happens to be checked out. Its ID is not filled in.
//
// Which [trunk] ref counts is read where the trunk would be without one, so
// that no branch can name itself the trunk. The work tree's, own, counts where
// there is no dos.toml to read yet.
func RemoteTrunk(ctx context.Context, repo *refstore.Repo, remote string, own policy.Policy) (Trunk, error) {
	files := repo.Files(ctx)
	defer files.Close()
	return (&trunkSearch{repo: repo, files: files, remote: remote}).find(ctx, own)
}

type trunkSearch struct {
	repo   *refstore.Repo
	files  treeReader
	remote string
	head   string // where the remote's HEAD leads here, "" where git has to be asked

	text string // the last dos.toml that was parsed, and what it says
	says policy.Policy
}

func (s *trunkSearch) tracking() string { return "refs/remotes/" + s.remote + "/" }

func (s *trunkSearch) find(ctx context.Context, own policy.Policy) (Trunk, error) {
	if ref, _, err := s.stated(ctx, s.tracking()+"HEAD"); err == nil && ref != "" {
		return s.named(ref) // the usual case, without asking for the name of HEAD
	}
	usual, err := s.usual(ctx)
	if err != nil {
		return Trunk{}, err
	}
	if usual != "" {
		ref, decided, err := s.stated(ctx, usual)
		switch {
		case err != nil:
			return Trunk{}, err
		case ref != "":
			return s.named(ref)
		case decided || own.Trunk.Ref == "":
			return s.named(usual)
		}
	}
	if own.Trunk.Ref != "" {
		return s.named(own.Trunk.Ref)
	}
	return Trunk{}, &TrunkError{
		Err:  fmt.Errorf("the trunk of %s %w", s.remote, ErrNoTrunk),
		Hint: fmt.Sprintf("git remote set-head %s --auto, or set [trunk] ref in dos.toml", s.remote),
	}
}

// stated is what the dos.toml at a ref says of the trunk. It is decided when
// that commit has the say, also where it says nothing: it has a dos.toml, or it
// should be here and is not. A dos.toml that cannot be read is an error.
func (s *trunkSearch) stated(ctx context.Context, ref string) (trunk string, decided bool, err error) {
	id, data, err := s.files.At(ctx, ref, policyFile)
	switch {
	case errors.Is(err, refstore.ErrNoCommit):
		there, err := s.repo.RefID(ctx, ref)
		return "", there != "", err
	case errors.Is(err, refstore.ErrNoFile):
		p, source, err := policyIn(ctx, s.repo, id) // tells a file that is missing from one that never was
		return p.Trunk.Ref, source != "", err
	case err != nil:
		return "", false, err
	}
	p, err := s.parsed(data, id, strings.TrimPrefix(ref, s.tracking()))
	return p.Trunk.Ref, true, err
}

// parsed is what the dos.toml of a commit says, which is on a branch of the remote.
// Who looks for the trunk comes upon the same text more than once.
func (s *trunkSearch) parsed(data []byte, id refstore.OID, branch string) (policy.Policy, error) {
	if s.text != "" && s.text == string(data) {
		return s.says, nil
	}
	p, _, err := parsed(data, s.source(id), &onTrunk{s.remote, branch})
	if err == nil {
		s.text, s.says = string(data), p
	}
	return p, err
}

func (s *trunkSearch) source(id refstore.OID) string {
	return s.remote + " at " + id.Short() + ":" + policyFile
}

// usual is the trunk's remote-tracking ref where no policy names one, "" when
// it is not known.
func (s *trunkSearch) usual(ctx context.Context) (string, error) {
	head, err := s.head, error(nil)
	if head == "" {
		head, err = ancestry.Symbolic(ctx, s.repo.Git, s.tracking()+"HEAD")
	}
	if err != nil || strings.HasPrefix(head, s.tracking()) {
		return head, err
	}
	for _, name := range []string{"main", "master"} {
		id, err := s.repo.RefID(ctx, s.tracking()+name)
		if err != nil {
			return "", err
		}
		if id != "" {
			return s.tracking() + name, nil
		}
	}
	return "", nil
}

// named is the trunk that a [trunk] ref means on the remote: main, origin/main
// and both full names are one branch.
func (s *trunkSearch) named(ref string) (Trunk, error) {
	branch := strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), s.tracking())
	if branch == ref {
		branch = strings.TrimPrefix(branch, s.remote+"/")
	}
	if strings.HasPrefix(branch, "refs/") {
		return Trunk{}, &TrunkError{
			Err:  fmt.Errorf("[trunk] ref %q is no branch of %s", ref, s.remote),
			Hint: "set [trunk] ref in dos.toml to the name of a branch",
		}
	}
	return Trunk{Branch: "refs/heads/" + branch, Ref: s.tracking() + branch}, nil
}

// notFetched is the error of a trunk that is not here, for one of two reasons.
func notFetched(t Trunk, remote string) error {
	return &TrunkError{
		Unfetched: t.Branch,

		Err:  fmt.Errorf("trunk %s of %s has not been fetched", t.Short(), remote),
		Hint: fmt.Sprintf("git fetch %s, or, if %s has no %s yet, git push %s HEAD:%s", remote, remote, t.Short(), remote, t.Short()),
	}
}
