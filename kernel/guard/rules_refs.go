package guard

import "strings"

// branching are the commands that move, make and delete refs.
func branching() map[string]judgement {
	return map[string]judgement{
		"branch": {
			options: "v,verbose q,quiet t,track? u,set-upstream-to= unset-upstream color? r,remotes contains no-contains with without abbrev? a,all d,delete D m,move M c,copy C l,list show-current create-reflog edit-description f,force merged no-merged column? sort= points-at i,ignore-case recurse-submodules format= omit-empty set-upstream",
			deny:    map[string]rule{"force": ruleRefs, "D": ruleGone, "M": ruleRefs, "C": ruleRefs, "move": ruleRefs, "copy": ruleBranch, "track": ruleBranch},
			check:   (*call).branch,
		},
		"update-ref": {options: "m= d no-deref z stdin create-reflog deref batch-updates", check: func(c *call) {
			c.strange, c.blanks = nil, nil
			c.blocked(refRule(c.all()), c.args...)
		}},
		"symbolic-ref": {options: "q,quiet d,delete short recurse m=", check: func(c *call) {
			if len(c.all()) > 1 || c.has("delete") {
				c.blocked(refRule(c.all()), c.args...)
			}
		}},
		"reflog": {options: "", check: (*call).reflog},
	}
}

// refRule is the reason for which a ref is not moved by hand.
func refRule(words []word) rule {
	for _, w := range words {
		if strings.HasPrefix(w.text, "refs/dos") {
			return ruleDosRefs
		}
	}
	return ruleRefs
}

// branch looks for a branch that is made: without an option that lists or
// changes something, the operand is its name. Those that are forbidden have
// been told already.
func (c *call) branch() {
	others := []string{"set-upstream-to", "unset-upstream", "remotes", "contains", "no-contains", "with", "without", "all", "delete", "list", "show-current", "edit-description", "merged", "no-merged", "points-at", "format", "sort", "column", "D", "M", "C", "move", "copy", "force", "track"}
	if names := c.all(); len(names) > 0 && !names[0].mayBeOption() && !c.has(others...) {
		c.blocked(ruleBranch, names[0])
	}
	if g, ok := c.option("set-upstream"); ok {
		c.blocked(ruleBranch, g.word)
	}
}

// reflog looks at the verb; to show one is to print like log.
func (c *call) reflog() {
	c.strange, c.blanks = nil, nil
	verbs := c.all()
	switch {
	case len(verbs) == 0 || verbs[0].is("show", "exists", "list", "HEAD"):
	case verbs[0].is("expire", "delete", "drop", "write"):
		c.blocked(ruleExpire, verbs[0])
	case !verbs[0].exact:
		c.unsure("which verb of git reflog runs is not known before it runs", "write the verb out", verbs[0])
	}
	c.prints()
}

// storing are the commands about settings and about the store of objects.
func storing() map[string]judgement {
	return map[string]judgement{
		"gc": {
			options: "q,quiet prune? cruft max-cruft-size= aggressive auto detach force keep-largest-pack",
			check: func(c *call) {
				for _, g := range c.options {
					if g.name == "prune" && g.value != nil && !g.value.is("never") {
						c.blocked(ruleExpire, g.word)
					}
				}
			},
		},
		"prune": refuse(ruleExpire),
		"config": {
			options: "global system local worktree f,file= blob= get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section l,list fixed-value e,edit get-color get-colorbool t,type= bool int bool-or-int bool-or-str path expiry-date z,null name-only includes show-origin show-scope show-names default= all regexp url= value= append comment=",
			check:   (*call).config,
		},
	}
}

// config looks at the key and the value that are stored. Reading stores
// nothing.
func (c *call) config() {
	args := c.all()
	if c.has("get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool") || len(args) == 0 && !c.has("edit") {
		return
	}
	if c.has("edit", "rename-section", "remove-section") || args[0].is("edit", "rename-section", "remove-section") {
		c.unsure("what becomes of the settings is not seen", "git config set KEY VALUE", c.args...)
		return
	}
	unset := c.has("unset", "unset-all")
	switch {
	case args[0].is("get", "list"):
		return
	case args[0].is("set", "unset"):
		unset = args[0].is("unset")
		args = args[1:]
	case len(args) == 1 && !unset && args[0].exact && !args[0].many:
		return // to read one
	}
	c.stored(args, unset)
}

func (c *call) stored(args []word, unset bool) {
	switch {
	case len(args) == 0:
	case unset && strings.HasPrefix(strings.ToLower(args[0].text), "alias."):
	case unset: // as if it were switched off
		c.setting(c.words, args[0], literal("false"), false)
	case len(args) == 1:
		c.setting(c.words, args[0], word{}, false)
	default:
		c.setting(c.words, args[0], args[1], false)
	}
}
