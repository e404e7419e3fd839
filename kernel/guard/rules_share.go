package guard

import (
	"slices"
	"strings"
)

// sharing are the commands that talk to other repositories.
func sharing() map[string]judgement {
	return map[string]judgement{
		"push": {
			options: "v,verbose q,quiet repo= all branches mirror d,delete tags n,dry-run porcelain f,force force-with-lease? force-if-includes recurse-submodules= thin receive-pack= exec= u,set-upstream progress prune no-verify follow-tags signed? atomic o,push-option= 4,ipv4 6,ipv6",
			deny: map[string]rule{
				"force": ruleForce, "force-with-lease": ruleForce, "mirror": ruleMirror, "prune": ruleMirror, "delete": ruleGone, "no-verify": ruleNoVerify,
			},
			check: (*call).push,
		},
		"send-pack": refuse(ruleForce),
		"http-push": refuse(ruleForce),
		"fetch":     {options: fetchOptions, deny: map[string]rule{"force": ruleRefs, "update-head-ok": ruleRefs}, check: (*call).fetch},
		"pull": {
			options: "r,rebase? n,no-stat stat summary compact-summary log? signoff squash commit edit cleanup= ff ff-only no-verify verify-signatures autostash s,strategy= X,strategy-option= S,gpg-sign? allow-unrelated-histories " + pullFetchOptions,
			deny:    map[string]rule{"autostash": ruleAutostash, "force": ruleRefs, "no-verify": ruleNoVerify, "no-gpg-sign": ruleUnsigned},
			check:   (*call).pull,
		},
		"remote": {
			options: "v,verbose t,track= m,master= f,fetch tags mirror? push add delete all n p,prune d a,auto progress",
			deny:    map[string]rule{"mirror": ruleMirror},
			check:   (*call).remote,
		},
		"submodule": {options: "q,quiet init remote f,force rebase merge checkout N,no-fetch recursive depth= j,jobs= b,branch= name= reference= single-branch progress cached files n,summary-limit= all d,default recommend-shallow dissociate filter=", deny: map[string]rule{"force": ruleDiscard, "rebase": ruleRewrite}, check: (*call).submodule},
	}
}

const (
	commonFetchOptions = " v,verbose q,quiet all a,append atomic upload-pack= t,tags j,jobs? p,prune recurse-submodules? dry-run k,keep progress depth= shallow-since= shallow-exclude= deepen= unshallow update-shallow refmap= o,server-option= 4,ipv4 6,ipv6 negotiation-tip= show-forced-updates set-upstream"
	pullFetchOptions   = "f,force" + commonFetchOptions
	fetchOptions       = "f,force m,multiple n,no-tags prefetch P,prune-tags write-fetch-head u,update-head-ok refetch submodule-prefix= recurse-submodules-default= negotiate-only filter= auto-maintenance auto-gc write-commit-graph stdin porcelain" + commonFetchOptions
)

// push looks at where to, and at the refspecs.
func (c *call) push() {
	c.repository()
	for _, g := range c.options {
		if g.name == "no-signed" || g.name == "signed" && g.value != nil && falsy(*g.value) {
			c.blocked(ruleUnsigned, g.word)
		}
	}
	for i, w := range c.all() {
		switch {
		case strings.HasPrefix(w.text, "+"):
			c.blocked(ruleForce, w)
		case strings.HasPrefix(w.text, ":") && !w.is(":"):
			c.blocked(ruleGone, w)
		case i > 0 || c.has("repo"):
			c.destination(w)
		}
	}
}

// repository looks at the address, which may be a command, and at the options
// that name a program of the other side.
func (c *call) repository() {
	for _, w := range c.all() {
		c.address(c.words, w)
	}
	for _, g := range c.options {
		plain := g.name == "repo" && g.value != nil && g.value.exact && !strings.Contains(g.value.text, "::")
		if slices.Contains([]string{"receive-pack", "exec", "upload-pack", "repo"}, g.name) && !plain {
			c.unsure("it names a program, or an address that may be one", "leave the option out", g.word)
		}
	}
}

// destination looks at the ref that a refspec writes.
func (c *call) destination(w word) {
	text := w.text
	if w.globs { // which stands for itself where no file is named so
		text = w.src
	}
	src, dst, both := strings.Cut(strings.TrimPrefix(text, "+"), ":")
	if !both {
		dst = src
	}
	ref := strings.TrimPrefix(strings.TrimPrefix(dst, "refs/"), "heads/") // where a fleet may keep them too
	stem, _, pattern := strings.Cut(dst, "*")
	open := !w.exact && strings.HasPrefix("refs/dos/", dst[:min(len(dst), len("refs/dos/"))])
	switch {
	case ref == "dos", strings.HasPrefix(ref, "dos/"), pattern && strings.HasPrefix("refs/dos/", stem):
		c.blocked(ruleDosRefs, w)
	case open, !both && !w.exact && w.text == "", w.many:
		c.unsure("which ref is written is not known before it runs", "write the refspec out, as in HEAD:refs/heads/main", w)
	}
}

// fetch looks at the refspecs.
func (c *call) fetch() {
	c.repository()
	if c.has("stdin") {
		c.unsure("which refs are written is read from elsewhere", "write the refspecs out", literal("--stdin"))
	}
	for i, w := range c.all() {
		if i == 0 {
			continue
		}
		_, dst, both := strings.Cut(w.parts, ":")
		if !both {
			if !w.exact {
				c.unsure("which ref is written is not known before it runs", "write the refspec out", w)
			}
			continue
		}
		c.destination(w)
		if strings.HasPrefix(w.text, "+") && !strings.HasPrefix(dst, "refs/remotes/") && dst != "" {
			c.blocked(ruleRefs, w)
		}
	}
}

func (c *call) pull() {
	for _, g := range c.options {
		if g.name == "rebase" && (g.value == nil || !falsy(*g.value)) {
			c.blocked(rulePullBase, g.word)
		}
	}
	c.fetch()
}

// remote looks at what becomes of the list of remotes.
func (c *call) remote() {
	args := c.all()
	if len(args) == 0 || args[0].is("show", "get-url", "update", "prune") {
		return
	}
	if args[0].is("add", "set-url", "set-head", "set-branches") {
		for _, w := range args[1:] {
			c.address(c.words, w)
		}
		return
	}
	c.unsure("it takes a remote away that others may use", "ask a person", args[0])
}

// submodule looks at the command of foreach.
func (c *call) submodule() {
	args := c.all()
	if len(args) == 0 || args[0].is("status", "init", "update", "add", "summary", "sync", "absorbgitdirs", "set-branch", "set-url") {
		return
	}
	if args[0].is("foreach") {
		c.strange, c.blanks = nil, nil
		for i, w := range c.args {
			if !w.is("foreach") {
				continue
			}
			rest := c.args[i+1:]
			for len(rest) > 0 && rest[0].is("--recursive", "-q", "--quiet") {
				rest = rest[1:]
			}
			script, exact := texts(rest)
			c.text(c.words, word{text: strings.Join(script, " "), exact: exact, src: "foreach"})
			return
		}
	}
	c.unsure("what it does to the modules is not judged here", "ask a person", args[0])
}
