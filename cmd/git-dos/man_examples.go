package main

import "sync"

// manExamples are command lines that the manual shows, by verb. A verb without
// one has no such section.
var manExamples = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"account":    {"git dos account list", "git dos account cap a1 --for 90m"},
		"beat":       {"git dos beat supervise"},
		"clean":      {"git dos clean --lane api"},
		"commit":     {"git dos commit --lane api -m 'SHOP: API1 serve the basket' api"},
		"completion": {"source <(git dos completion bash)", "git dos completion fish >~/.config/fish/conf.d/git-dos.fish"},
		"config":     {"git dos config --show-origin", "git dos config lease.ttl"},
		"decisions":  {"git dos decisions list"},
		"dispatch":   {"git dos dispatch --lane api -- ./work.sh"},
		"doctor":     {"git dos doctor", "git dos doctor --remote --fix"},
		"exit-codes": {"git dos exit-codes lease acquire"},
		"hooks":      {"git dos hooks install", "git dos hooks install --server /srv/hub.git"},
		"init":       {"git dos init", "git dos init --remote origin"},
		"journal":    {"git dos journal tail"},
		"lease":      {"git dos lease acquire --lane api", "git dos lease heartbeat --lane api", "git dos lease release --lane api", "git dos lease live --all"},
		"lint":       {"git dos lint --strict"},
		"log":        {"git dos log --lane api"},
		"man":        {"git dos man lease | man -l -", "git dos man install"},
		"plan":       {"git dos plan --check"},
		"push":       {"git dos push", "git dos push --plan SHOP --phase API1"},
		"queue":      {"git dos queue list"},
		"reconcile":  {"git dos reconcile SHOP/API1"},
		"run-id":     {"git dos run-id mint loop"},
		"status":     {"git dos status"},
		"supervise":  {"git dos supervise --target 4"},
		"top":        {"git dos top"},
		"verify":     {"git dos verify SHOP API1"},
		"version":    {"git dos version --json"},
		"worker":     {"git dos worker run --lane api --unit SHOP/API1 -- ./work.sh"},
	}
})
