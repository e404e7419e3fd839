package guard

import (
	"strings"
	"testing"
)

// A row is a line and what is to be said of it.
type row struct {
	claim string
	line  string
	want  Outcome
}

func judgeAll(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		if got := Decide(Evidence{Command: r.line}); got.Outcome != r.want {
			t.Errorf("%s: %q is %s (%s), want %s", r.claim, r.line, got.Outcome, got.Reason, r.want)
		}
	}
}

// rows of lines that share a claim.
func all(want Outcome, claim string, lines ...string) (out []row) {
	for _, l := range lines {
		out = append(out, row{claim, l, want})
	}
	return out
}

func TestWhatIsForbidden(t *testing.T) {
	for claim, lines := range map[string][]string{
		"a forced push": {
			"git push --force", "git push -f", "git push origin main -f", "git push -uf origin main", "git push --force-with-lease", "git push --force-with-lease=main:abc",
			"git push origin +main", "git push origin +HEAD:refs/heads/main", "git push origin HEAD +x:y", "git push --forc", "git push --force-w",
			"git push -- origin +main", "git push --end-of-options origin +main", "git push origin '+main'", "git push --no-verify --dry-run",
		},
		"a push that deletes or mirrors": {
			"git push origin :old", "git push --delete origin old", "git push -d origin old", "git push origin --del old", "git push --mirror", "git push --mirr x",
			"git push --prune origin refs/heads/*:refs/heads/a", "git push origin :refs/tags/v1",
		},
		"a push round the gates": {"git push --no-verify", "git push --no-verif origin", "git push -o x --no-v", "git send-pack x y", "git push --no-signed"},
		"a push to what git dos keeps": {
			"git push origin HEAD:refs/dos/lane/a", "git push origin refs/dos/order", "git push origin dos/order", "git push origin x:refs/heads/dos/lane/a", "git push origin 'refs/*:refs/*'", "git push origin 'refs/d*:refs/d*'", "git push origin x:dos/lane/a",
			"git fetch origin main:refs/dos/lane/a", "git fetch origin +refs/dos/*:refs/dos/*",
		},
		"a commit that replaces one": {"git commit --amend", "git commit --amend --no-edit", "git commit --am", "git commit -m x --amend", "git commit --no-edit --amen", "git reset --soft HEAD~1", "git reset HEAD~2", "git reset HEAD^", "git reset HEAD@{1}", "git reset --keep x"},
		"a commit round the gates": {
			"git commit --no-verify", "git commit -n", "git commit -nm x", "git commit -qn -m x", "git commit --no-gpg-sign", "git commit --no-gpg", "git commit -m x -n", "git commit --no-verif", "git commit -m -- -n",
			"git merge --no-verify x", "git am -n p", "git am --no-verify", "git cherry-pick --no-gpg-sign x", "git revert --no-gpg-sign x", "git tag --no-sign v1", "git rebase --no-verify main", "git pull --no-verify",
		},
		"a commit of everything": {
			"git commit -a", "git commit -am x", "git commit --all", "git commit -qa", "git commit .", "git commit *", "git commit -a$x", "git commit -m x -- .", "git commit --al",
			"git add -A", "git add -u", "git add .", "git add --all", "git add --update", "git add --upd", "git add -Av", "git add ./", "git add -- .", "git add :/", "git add :", "git add '*'", "git add *", "git add ./.",
			"git add ..", "git add ../..", "git add ':(top)'", "git add ':(glob)**'", "git add ':!x'", "git add --no-ignore-removal", "git add --renormalize", "git add a .", "git stage .", "git add src/..", "git add '**'", "git rm -r .", "git add .//",
			"git add a/../.", "git add ':(exclude)x'", "git add ':(top,glob)**/*'",
		},
		"a tag that moves or goes": {"git tag -f v1", "git tag -d v1", "git tag --force v1 x", "git tag --delete v1", "git tag -afm x v1"},
		"history made anew": {
			"git rebase -i main", "git rebase --interactive main", "git rebase --int main", "git rebase --autostash main", "git rebase --autosquash main", "git rebase --root", "git rebase --edit-todo",
			"git filter-branch --all", "git filter-repo --path x", "git pull --rebase", "git pull -r", "git pull --rebase=merges", "git pull --autostash", "git pull --reb", "git pull --rebase=false --rebase", "git pull -j --rebase", "git pull --jobs -r", "git merge --autostash x",
		},
		"changes thrown away": {
			"git reset --hard", "git reset --hard HEAD~1", "git reset --har", "git reset HEAD --hard", "git reset --merge", "git clean -f", "git clean -fd", "git clean -xdf", "git clean --force", "git clean -i", "git clean -n -f --no-dry-run",
			"git checkout .", "git checkout -- .", "git checkout HEAD -- .", "git checkout -f", "git checkout --force main", "git checkout HEAD .", "git checkout :/", "git checkout -- '*'",
			"git restore .", "git restore --staged .", "git restore -SW .", "git restore :/", "git restore -s HEAD -- .", "git switch -f main", "git switch --discard-changes main", "git read-tree --reset -u HEAD", "git checkout-index -fa", "git worktree remove --force x",
		},
		"a branch of one's own": {
			"git checkout -b x", "git checkout -B x", "git checkout -qb x", "git switch -c x", "git switch -C x", "git switch --create x", "git switch --create=x", "git checkout --orphan x", "git switch --orph x", "git branch x", "git branch x HEAD~1",
			"git checkout -t origin/x", "git stash branch x", "git checkout -bx", "git branch -c a b",
		},
		"a ref moved by hand": {
			"git branch -f main x", "git branch -D x", "git branch -M a b", "git branch -m a b", "git branch --force main x", "git branch --delete --force x", "git update-ref refs/dos/order x", "git update-ref -d refs/heads/x", "git update-ref --stdin", "git symbolic-ref HEAD refs/heads/x", "git symbolic-ref -d X",
			"git fetch -f origin a:b", "git fetch origin +a:b", "git fetch -u origin a:a", "git reflog expire --expire=now --all", "git reflog delete x", "git gc --prune=now", "git gc --prune=never --prune=now", "git gc --prune=all", "git prune",
		},
		"a work tree of one's own":          {"git worktree add ../x", "git worktree add -b x ../x", "git worktree add --detach ../x HEAD"},
		"changes of all put on the stash":   {"git stash", "git stash push", "git stash save x", "git stash -u", "git stash push -m x", "git stash pop", "git stash drop", "git stash clear", "git stash -- .", "git stash push ."},
		"a setting that lifts a gate":       {"git config core.hooksPath /dev/null", "git config core.hookspath x", "git config --global core.hooksPath x", "git config --unset core.hooksPath", "git config commit.gpgsign false", "git config commit.gpgSign no", "git config set core.hooksPath x", "git config --unset commit.gpgsign", "git config --local --add core.hooksPath x", "git config -f .git/config core.hooksPath x"},
		"a setting that hides a command":    {"git config alias.x 'push --force'", "git config --global alias.st status", "git config set alias.x y", "git -c alias.x=status x"},
		"a setting that hides what it does": {"git config rebase.autostash true", "git config pull.rebase true", "git config clean.requireForce false", "git config remote.origin.push +main", "git config remote.o.mirror true"},
		"a setting for one command": {
			"git -c core.hooksPath=/dev/null commit -m x", "git -c core.hookspath= commit", "git -c commit.gpgsign=false commit -m x", "git -ccore.hooksPath=x status; git -c core.hooksPath=x status",
			"git --config-env=core.hooksPath=X commit", "git --config-env core.hooksPath=X commit",
			"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -m x", "GIT_CONFIG_PARAMETERS=\"'core.hooksPath=x'\" git commit -m x", "export GIT_CONFIG_KEY_0=core.hooksPath; git commit -m x",
			"HUSKY=0 git commit -m x", "export LEFTHOOK=0; git push", "SKIP=x git commit -m y", "env HUSKY=0 git commit -m x",
		},
		"what git dos does for a person alone": {
			"git dos lease release api --force", "git dos lease scavenge api --force --operator x", "git dos lease acquire api --force=true", "git dos lease acquire --lane api -force", "git-dos lease release api --operator=x", "git dos lease acquire \"$L\" --force",
			"git dos -C x lease release api --force", "git dos --workspace=x lease scavenge --force", "git dos lease release guard --force", "git dos lease scavenge \"--force\"", "git dos queue hold t --wontfix --operator me", "git dos reclaim --enact 7 --operator x", "git dos super resume --operator x",
			"git dos worker run --lane a -- git dos lease release b --force", "git dos sync --operator x", "git dos --force lease release api", "git dos lease acquire --owner --force", "xargs git dos lease release --force", "sh -c 'git dos lease scavenge a --force'",
			"GIT_DOS_OVERRIDE='X: y' git push", "GIT_DOS_OVERRIDE='X: y' git dos push --lane api", "export GIT_DOS_OVERRIDE=x", "env GIT_DOS_OVERRIDE=x git commit -m y", "git config dos.receiveOverride 'X: y'", "git -c dos.receiveoverride=x push",
		},
		"hooks taken away": {
			"rm .git/hooks/pre-push", "rm -rf .git/hooks", "mv .git/hooks /tmp/x", "echo x > .git/hooks/pre-push", ": >| ./.git/hooks/pre-push", "tee .git/hooks/pre-commit", "echo x | tee -a .git/hooks/pre-commit", "chmod -x .git/hooks/pre-push", "cp x .git/hooks/pre-push", "ln -sf /bin/true .git/hooks/pre-push",
			"rm -rf .git", "sed -i s/a/b/ .git/config", "dd of=.git/hooks/x", "find .git/hooks -delete", "find . -exec rm .git/hooks/x ;", "truncate -s0 .git/hooks/x", "echo x >> .git/config", "rm .GIT/hooks/x", "rm a/.git//hooks/./x", "sudo rm .git/hooks/x", "cat x &> .git/hooks/y", "rm srv/repo.git/hooks/update", "git dos hooks uninstall", "git dos hook-agent uninstall", "rm .git/refs/dos/order", "cp a b .git/hooks", "curl -o .git/hooks/x u",
			"git log --output=.git/hooks/x", "git diff --output .git/hooks/x",
		},
	} {
		judgeAll(t, all(Deny, claim, lines...))
	}
}

func TestItIsSeenThroughWhatStandsAroundIt(t *testing.T) {
	for claim, lines := range map[string][]string{
		"git's own options":   {"git -C x push --force", "git --git-dir=x push -f", "git --git-dir x --work-tree y push -f", "git -c user.name=x push -f", "git --no-pager -p push -f", "git --bare push -f", "git -C \"$d\" push -f", "git --git-dir=\"$d\" push -f", "GIT_DIR=x git push -f"},
		"other names of git":  {"/usr/bin/git push -f", "./git push -f", "git.exe push -f", "GIT push -f", "'C:\\x\\git.exe' push -f", "/usr/lib/git-core/git-push -f", "git-push --force"},
		"spellings":           {"g\\it push -f", "'git' push -f", "\"git\" 'push' \"--force\"", "gi''t push -f", "git pu\\sh --fo\"rc\"e", "git \\\n push \\\n --force", "git\tpush\t-f", "git \"pus\\\nh\" -f", "\\git push -f", "g\"i\"t pus\\\nh -f"},
		"lists and pipes":     {"true && git push -f", "false || git push -f", "a; git push -f", "a & git push -f", "git push -f | cat", "x | git push -f", "a\ngit push -f", "! git push -f", "# x\ngit push -f", "git status;git push -f", "a |& git push -f"},
		"compound commands":   {"(git push -f)", "{ git push -f; }", "if a; then git push -f; fi", "while git push -f; do :; done", "for i in 1; do git push -f; done", "case x in x) git push -f;; esac", "f() { git push -f; }; f", "function f { git push -f; }", "time git push -f", "coproc git push -f", "[[ -n $(git push -f) ]]", "((x=$(git push -f)))", "until git push -f; do :; done"},
		"substitutions":       {"echo $(git push -f)", "echo `git push -f`", "cat <(git push -f)", "echo \"x $(git push -f)\"", "X=$(git push -f)", "echo ${x:-$(git push -f)}", "cat <<E\n$(git push -f)\nE", "a=(x $(git push -f))", "echo \"`git push -f`\"", "echo $(( $(git push -f) ))", "> \"$(git push -f)\"", "export X=$(git push -f)"},
		"scripts in the line": {"sh -c 'git push -f'", "bash -lc 'git push -f'", "bash -c \"git push -f\" x", "sh -ec 'cd x && git push -f'", "bash --norc -c 'git push -f'", "eval git push -f", "eval 'git push' -f", "eval \"git push -f\"", "trap 'git push -f' EXIT", "sh -c 'sh -c \"git push -f\"'", "bash <<E\ngit push -f\nE", "bash <<'E'\ngit push -f\nE", "bash <<E\ngit pu\\\nsh -f\nE", "bash <<E\ngit push \\\\\n-f\nE", "sh <<< 'git push -f'", "echo git push -f | sh", "echo 'git push -f' | bash -s", "bash -o pipefail -c 'git push -f'", "/bin/sh -c 'git push -f'", "sh -c -- 'git push -f'", "source /dev/stdin <<< 'git push -f'", ". /dev/stdin <<E\ngit push -f\nE", "cat <<E | sh -c 'git push -f'\nE", "bash -c 'git push -f' _ \"$x\""},
		"programs that start others": {
			"env git push -f", "env A=b git push -f", "env -i A=b git push -f", "env -u X git push -f", "env -S 'git push -f'", "sudo git push -f", "sudo -u bob git push -f", "sudo -u echo git push -f", "command git push -f", "exec git push -f", "nohup git push -f &", "time -p git push -f", "nice -n 5 git push -f",
			"timeout 5 git push -f", "timeout -k 1 5 git push -f", "stdbuf -oL git push -f", "setsid git push -f", "xargs git push -f", "xargs -n1 git push -f", "xargs -I{} git push -f {}", "xargs sh -c 'git push -f'", "find . -exec git push -f ;", "find . -execdir git push -f {} +", "find . -name x -exec sh -c 'git push -f' \\;",
			"flock x git push -f", "flock echo git push -f", "builtin command git push -f", "sudo env A=b nice git push -f", "busybox sh -c 'git push -f'", "ssh host git push -f", "ssh host 'git push -f'", "docker exec c git push -f", "doas git push -f", "command -p git push -f", "nice git push --force", "repeat 3 git push -f",
			"git rebase -x 'git push -f' main", "git submodule foreach git push -f", "git submodule foreach --recursive 'git push -f'", "git dos worker run --lane a -- git push -f", "GIT_EDITOR='git push -f' git commit", "git -c core.editor='git push -f' commit", "env -S'git push -f'", "watch 'git push -f'",
		},
		"what a plain shell reads in another way": {"echo &>x git push -f", "((git push -f))", "sh -c 'echo &>x git push --force'"},
	} {
		judgeAll(t, all(Deny, claim, lines...))
	}
}

func TestWhatCannotBeReadIsNeverAllowed(t *testing.T) {
	for claim, lines := range map[string][]string{
		"which program":                      {"$G push --force", "\"$G\" push", "$(which git) push -f", "`echo git` push", "g?t push -f", "gi[t] push -f", "{git,push,--force}", "~/git push -f", "$'\\x67it' push -f", "$\"git\" push -f", "\"$@\"", "${x}git push", "=git push -f", "env $X push -f", "sudo \"$c\"", "xargs $c", "nice $x"},
		"which subcommand":                   {"git $x", "git \"$@\"", "git $(echo push) -f", "git p* -f", "git -C $x push", "git status$x", "git \"log$x\"", "git \"$x\" main", "git -c $x status", "git --$x", "git --foo push", "git {push,-f}", "git --exec-path=x push"},
		"which option or operand":            {"git push $x", "git push \"$x\"", "git push origin \"$b\"", "git push \"$@\"", "git push origin HEAD:$x", "git push origin HEAD:\"$x\"", "git push origin \"HEAD:refs/$x\"", "xargs git add", "xargs git add --", "ls | xargs git push origin", "xargs -I{} git add {}", "git push origin $x main", "git commit -q$x", "git commit -q\"$x\"", "git commit --yolo", "git push -Z", "git clean --no-such", "git commit $x", "git commit -m $x", "git commit -m \"$@\"", "git commit --$x", "git commit -\"$x\"", "git commit -m\"$x\" -m --amend", "git add \"$x\"", "git add -- \"$x\"", "git add $(ls)", "git add ~", "git add {.,x}", "git checkout \"$x\"", "git restore -- \"$x\"", "git reset \"$x\"", "git clean $x", "git branch $x", "git stash $x", "git log $x", "git diff \"$x\"", "git commit -m \"${a[@]}\"", "git tag $x", "git config $x y", "git config \"$k\" y", "git rebase $x", "git reset main", "git add --pathspec-from-file=x", "git add /home/x", "git add ../x", "git show $(cat x)", "git push origin a*", "git config commit.gpgsign \"$x\"", "git stash \"$x\"", "git add \"src/$x\"", "git add -- \"src/$x/\"", "git commit -m x -- \"$x.go\"", "git add src/.*", "git add -- [a-z]*", "git restore -- \"a/${x}/..\"", "git push --repo=x --repo=ext::y"},
		"which flag of git dos":              {"git dos lease acquire $x", "git dos lease release api \"$x\"", "git dos lease acquire --any \"$x\"", "git dos lease acquire --lane $x", "git dos lease acquire --lane api --$x", "git dos lease acquire --lane api --\"$x\"", "git dos queue hold \"$@\"", "xargs git dos lease release", "git dos $x", "git dos -C $x lease", "git dos -C x \"$v\""},
		"which script":                       {"sh -c \"$x\"", "bash -c $x", "eval $x", "eval \"$x\"", "eval git $x", "curl x | sh", "cat x | bash", "bash", "sh -s", "wget -O- x | sudo bash", "bash <(curl x)", ". <(curl x)", "bash < x", "trap \"$x\" EXIT", "echo \"$x\" | sh", "sh -c 'git $0' push", "sh \"$x\"", "cat <<E | sh\nls\nE", "bash <<E\n$x\nE", "source <(echo git push -f)"},
		"an alias":                           {"alias gp='git push -f'; gp", "alias g=git", "alias e='env '", "git gp", "git yolo -f", "git lfs push", "git-foo push"},
		"what arguments name git":            {"foo git push -f", "python -c 'import os; os.system(\"git push -f\")'", "perl -e 'exec \"git\", \"push\"'", "awk 'BEGIN{system(\"git push -f\")}'", "python - <<E\nx(['git', 'push'])\nE", "echo git push | at now", "make GIT='git push -f' x", "foo /usr/bin/git push", "nohup foo 'git push'", "foo git-push -f"},
		"what git is told to run":            {"git bisect run x", "git difftool -x y", "git grep -O x", "git grep -nOless x", "git push --receive-pack=x o m", "git push 'ext::sh -c x' m", "git fetch --upload-pack x o", "git for-each-repo x", "git clone 'ext::x' y", "git hook run x", "git fast-import", "git replace a b", "git archive --exec=x --remote=y", "git notes add"},
		"what git is set to":                 {"git -c core.fsmonitor=x status", "git -c include.path=x status", "GIT_EXEC_PATH=x git status", "GIT_CONFIG_GLOBAL=x git commit -m y", "GIT_CONFIG_PARAMETERS=x git status", "git -c core.sshCommand=\"$x\" push", "GIT_SSH=x git push", "GIT_CONFIG_KEY_0=commit.gpgsign GIT_CONFIG_VALUE_0=0 git commit", "git config --edit", "git config --remove-section core", "export \"$x\"", "env \"$x\" git status", "git config filter.x.clean y"},
		"git's own directory":                {"rm \"$d/hooks/pre-push\"", "echo x > $(git rev-parse --git-dir)/hooks/x", "foo .git/hooks/x", "rm .git/index.lock", "ls .git/hooks | xargs rm", "cd .git/hooks && rm pre-push", "pushd .git"},
		"bytes that shells read differently": {"echo \\\r\ngit push -f", "git status\x00", "git \x1b[31m", "git status \xff", "echo x\r"},
		"a line that is no shell":            {"git status '", "if x", "git status )", "echo *(e:'git push -f':)", "$(", "<<<"},
	} {
		judgeAll(t, all(Unknown, claim, lines...))
	}
}

func TestWhatIsAllowed(t *testing.T) {
	for claim, lines := range map[string][]string{
		"reading":              {"git status", "git log --oneline -5", "git diff", "git diff HEAD~1 -- src", "git show HEAD:x", "git log -- \"$x\"", "git diff \"HEAD~$n\"", "git rev-parse \"$x\"", "git ls-files $x", "git blame x", "git branch", "git branch -a", "git branch --list x", "git branch --show-current", "git branch --contains HEAD", "git stash list", "git remote -v", "git config user.name", "git config --get core.hooksPath", "git config --list", "git config get x.y", "git worktree list", "git tag -l 'v*'", "git reflog", "git reflog show main", "git symbolic-ref HEAD", "git log --format='%h %s'", "git grep -n x", "git", "git --version", "git help push", "git submodule status", "git cat-file -p HEAD", "git log --end-of-options \"$x\""},
		"naming what is meant": {"git add a b/c", "git add src/", "git add -p x", "git commit -m x", "git commit -m x -- a b", "git commit -m 'git push --force'", "git commit -m --amend", "git commit -m \"$(cat <<'E'\nx\nE\n)\" -- a", "git commit -m \"$x\" -- a", "git commit --message=\"$x\" a", "git commit -F msg", "git commit -F - <<E\nx\nE", "git restore -- a", "git restore --staged a", "git checkout main", "git checkout -- a", "git stash push -- a", "git stash push -m x a", "git reset", "git reset HEAD a", "git reset -- a", "git clean -n", "git clean -nfd", "git rm a", "git mv a b", "git add 'a b'", "git add a/*.go", "git add .gitignore", "git add ./a", "git commit -om x a", "git add ':(top)a'", "git add -- *.go", "git commit -sm x", "git add \"src/$x.go\"", "git commit -m x -- src/\"$d\"/main.go", "git add \"a$x/b\""},
		"sharing":              {"git push", "git push origin main", "git push -u origin HEAD", "git push origin HEAD:refs/heads/main", "git push --dry-run", "git push --tags", "git push origin v1", "git push --no-force", "git push origin a:b", "git fetch", "git fetch --all --prune", "git fetch origin main", "git fetch origin '+refs/heads/*:refs/remotes/origin/*'", "git pull", "git pull --ff-only", "git pull --no-rebase", "git pull --rebase=false", "git pull origin main", "git merge x", "git merge --no-ff -m x y", "git rebase main", "git rebase --continue", "git rebase --abort", "git rebase -x 'go test ./...' main", "git cherry-pick x", "git cherry-pick -n x", "git revert HEAD", "git tag v1", "git tag -a v1 -m x", "git gc", "git clone u d", "git branch -d x", "git branch -u origin/main", "git switch main", "git push git@host:x/y main", "git push -o ci.skip", "git commit --verify -m x", "git config user.email a@b", "git -c user.name=x commit -m y", "git -c commit.gpgsign=true commit -m x", "GIT_EDITOR=true git rebase --continue", "GIT_AUTHOR_DATE=x git commit -m y", "GIT_PAGER=cat git log", "HUSKY=1 git commit -m x"},
		"git dos": {"git dos push", "git dos commit --lane a -m x p", "git dos guard -- git push --force", "git-dos status", "git dos worker run --lane a -- make", "git dos hooks install", "/x/git-dos push --json", "git dos verify A \"$x\"",
			"git dos lease acquire api --owner me", "git dos lease acquire --lane \"$LANE\" --unit \"$UNIT\" --ttl 30m", "git dos lease acquire --lane=\"$LANE\"", "git dos lease acquire \"a$x\"", "git dos -C \"$d\" lease release api", "git dos lease heartbeat api -q", "git dos sync --force", "git dos replan --force", "git dos arbitrate a --force", "git dos queue add 'do not use --force' --lane api", "git dos guard -- git dos lease release api --force",
			"git dos -q status", "git dos"},
		"programs of other kinds": {"ls -l", "make test", "go test ./... -run Git", "echo git push --force", "grep -r 'git push' .", "cat .git/HEAD", "cd x && make", "npm test", "rm -rf build", "echo $x > y", "for f in *; do echo \"$f\"; done", "python x.py", "./x.sh", "bash x.sh", "sudo apt-get install git", "which git", "command -v git", "mkdir git", "cd git", "test -d .git", "[ -f x ]", "x=1", "export X=y", "cat > f <<'E'\ngit push --force\nE", "printf '%s' 'git push -f' | tee f", "find . -name '*.go'", "find . -name x -exec grep y {} +", "xargs grep x", "timeout 60 go test ./refstore/git", "source ./env", "go build ./cmd/git-dos", "sh -c 'ls'", "eval 'ls -l'", "bash <<'E'\nls\nE", "", "# git push -f", "cp .git/HEAD /tmp/x", "sleep 1 &", "rm -f \"$x\"", "trap - EXIT", "true && false", "ls *.go", "git status | grep -c x", "cat x | wc -l", "kill %1", "nice make"},
	} {
		judgeAll(t, all(Allow, claim, lines...))
	}
}

func TestAVerdictTellsWhatItFellOver(t *testing.T) {
	v := Decide(Evidence{Command: "git status && git $x && git commit -m x --amend"})
	if v.Outcome != Deny || v.Token != NeverAmend || strings.Join(v.Words, " ") != "git commit --amend" || len(v.Findings) != 2 || v.Fix == "" {
		t.Errorf("%+v", v)
	}
	if f := v.Findings[1]; f.Outcome != Unknown || f.Token != CannotJudge || f.Command != "git $x" {
		t.Errorf("%+v", f)
	}
}
