package guard

import "strings"

const pathFileOptions = " pathspec-from-file= pathspec-file-nul"

// sequenced are the options of commands that make commits of others.
const sequenced = "quit continue abort skip cleanup= e,edit s,signoff m,mainline= rerere-autoupdate strategy= X,strategy-option= S,gpg-sign? n,no-commit x ff allow-empty allow-empty-message keep-redundant-commits empty= reference commit"

// committing are the commands that make commits, or choose what goes into one.
func committing() map[string]judgement {
	return map[string]judgement{
		"add": {
			options: "n,dry-run v,verbose i,interactive p,patch e,edit f,force u,update renormalize N,intent-to-add A,all ignore-removal refresh ignore-errors ignore-missing sparse chmod= warn-embedded-repo U,unified? inter-hunk-context?" + pathFileOptions,
			deny:    map[string]rule{"all": ruleSweep, "update": ruleSweep, "renormalize": ruleSweep, "no-ignore-removal": ruleSweep},
			check:   func(c *call) { c.paths(ruleSweep) },
		},
		"commit": {
			options: "q,quiet v,verbose F,file= author= date= m,message= c,reedit-message= C,reuse-message= fixup= squash= reset-author trailer= s,signoff t,template= e,edit cleanup= status S,gpg-sign? a,all i,include interactive p,patch o,only n,no-verify dry-run short branch ahead-behind porcelain long z,null amend u,untracked-files? allow-empty allow-empty-message no-post-rewrite U,unified? inter-hunk-context?" + pathFileOptions,
			deny:    map[string]rule{"amend": ruleAmend, "no-verify": ruleNoVerify, "no-gpg-sign": ruleUnsigned, "all": ruleSweep},
			check:   func(c *call) { c.paths(ruleSweep) },
		},
		"rm": {
			options: "n,dry-run q,quiet cached f,force r ignore-unmatch sparse" + pathFileOptions,
			check:   func(c *call) { c.paths(ruleDiscard) },
		},
		"merge": {
			options: "n,no-stat stat summary compact-summary log? squash commit e,edit cleanup= ff ff-only rerere-autoupdate verify-signatures s,strategy= X,strategy-option= m,message= F,file? into-name= v,verbose q,quiet abort quit continue allow-unrelated-histories progress S,gpg-sign? autostash overwrite-ignore signoff no-verify",
			deny:    map[string]rule{"autostash": ruleAutostash, "no-verify": ruleNoVerify, "no-gpg-sign": ruleUnsigned},
		},
		"cherry-pick": {options: sequenced, deny: map[string]rule{"no-gpg-sign": ruleUnsigned}},
		"revert":      {options: sequenced, deny: map[string]rule{"no-gpg-sign": ruleUnsigned}},
		"am": {
			options: "i,interactive n,no-verify b,binary 3,3way q,quiet s,signoff u,utf8 k,keep keep-non-patch m,message-id keep-cr c,scissors quoted-cr= whitespace= ignore-space-change ignore-whitespace directory= exclude= include= C= p= patch-format= reject resolvemsg= continue r,resolved skip abort quit show-current-patch? retry allow-empty committer-date-is-author-date ignore-date rerere-autoupdate S,gpg-sign? empty=",
			deny:    map[string]rule{"no-verify": ruleNoVerify, "no-gpg-sign": ruleUnsigned},
		},
		"rebase": {
			options: "onto= keep-base q,quiet v,verbose n,no-stat signoff committer-date-is-author-date reset-author-date ignore-date ignore-whitespace whitespace= C= f,force-rebase no-ff continue skip abort quit edit-todo show-current-patch apply m,merge i,interactive preserve-merges rerere-autoupdate empty= k,keep-empty autosquash update-refs S,gpg-sign? autostash x,exec= allow-empty-message r,rebase-merges? fork-point s,strategy= X,strategy-option= root reschedule-failed-exec reapply-cherry-picks no-verify stat ff trailer=",
			deny: map[string]rule{
				"interactive": ruleRewrite, "edit-todo": ruleRewrite, "autosquash": ruleRewrite, "root": ruleRewrite, "update-refs": ruleRefs,
				"autostash": ruleAutostash, "no-verify": ruleNoVerify, "no-gpg-sign": ruleUnsigned,
			},
			check: (*call).rebase,
		},
		"tag": {
			options: "l,list n? d,delete v,verify a,annotate m,message= F,file= trailer= e,edit s,sign cleanup= u,local-user= f,force create-reflog column? contains with no-contains without merged no-merged sort= points-at format= color? i,ignore-case omit-empty",
			deny:    map[string]rule{"force": ruleForce, "delete": ruleGone, "no-sign": ruleUnsigned},
		},
		"filter-branch": refuse(ruleRewrite),
		"filter-repo":   refuse(ruleRewrite),
	}
}

// paths looks at pathspecs: those that name everything, and those that may.
func (c *call) paths(r rule) {
	if g, ok := c.option("pathspec-from-file"); ok {
		c.unsure("the paths are read from a file that is not seen", "name the paths", g.word)
	}
	c.pathspecs(r, c.operands)
	c.pathspecs(r, c.behind)
}

func (c *call) pathspecs(r rule, specs []word) {
	for _, w := range specs {
		switch {
		case wide(w):
			c.blocked(r, w)
		case elsewhere(w):
			c.unsure("whether this names everything depends on where it is run", "name the path from where you stand, without ..", w)
		case !narrow(w):
			c.unsure("which paths are meant is not known before it runs", "name the paths", w)
		}
	}
}

// narrow says whether a pathspec that is not wide surely names a part alone: it
// is known, or a pattern of plain names, or it ends in a name, so that nothing
// put in before can lead out of where it points.
func narrow(w word) bool {
	switch {
	case w.exact:
		return w.text != ""
	case w.globs:
		return !strings.Contains(w.src, "[") && !strings.Contains(w.src, "/.")
	}
	end := w.parts[strings.LastIndexByte(w.parts, 0)+1:]
	return w.text != "" && !strings.HasPrefix(w.text, ":") && strings.Trim(end, "./*?") != ""
}

// rebase looks at the commands it is told to run.
func (c *call) rebase() {
	for _, g := range c.options {
		if g.name == "exec" && g.value != nil {
			c.text(c.words, *g.value)
		}
	}
}
