package guard

// harmlessCommands of git pass whatever they are told: they read, or they write
// objects, the index or files that git itself guards.
var harmlessCommands = []string{
	"annotate", "apply", "blame", "bugreport", "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "cherry", "column", "commit-graph", "commit-tree",
	"count-objects", "describe", "diagnose", "fmt-merge-msg", "for-each-ref", "fsck", "fsck-objects", "get-tar-commit-id", "hash-object", "help", "index-pack", "init", "init-db",
	"interpret-trailers", "ls-files", "ls-tree", "mailinfo", "mailsplit", "merge-base", "merge-file", "merge-tree", "mktag", "mktree", "multi-pack-index", "mv", "name-rev",
	"pack-objects", "pack-redundant", "pack-refs", "patch-id", "rerere", "rev-list", "rev-parse", "show-branch", "show-index", "show-ref", "sparse-checkout", "status", "stripspace",
	"unpack-file", "unpack-objects", "update-index", "update-server-info", "upload-archive", "var", "verify-commit", "verify-pack", "verify-tag", "version", "write-tree",
	"last-modified", "repo", "refs", "diff-pairs", "backfill", "checkout--worker",
}

// printers read too, and can be told to write a file or to start a program.
var printers = []string{
	"archive", "bundle", "clone", "diff", "diff-files", "diff-index", "diff-tree", "difftool", "fast-export", "format-patch", "grep", "log", "ls-remote", "mergetool",
	"range-diff", "request-pull", "shortlog", "show", "whatchanged",
}

// opaque are commands of git that are not judged by what they are told.
var opaque = []string{
	"archimport", "bisect", "citool", "credential", "credential-cache", "credential-store", "cvsexportcommit", "cvsimport", "cvsserver", "daemon", "fast-import", "fetch-pack",
	"for-each-repo", "gui", "hook", "http-backend", "http-fetch", "imap-send", "instaweb", "maintenance", "merge-index", "merge-octopus", "merge-one-file", "merge-ours",
	"merge-recursive", "merge-recursive-ours", "merge-recursive-theirs", "merge-resolve", "merge-subtree", "notes", "p4", "prune-packed", "quiltimport", "receive-pack",
	"remote-ext", "remote-fd", "remote-ftp", "remote-ftps", "remote-http", "remote-https", "repack", "replace", "send-email", "shell", "subtree", "svn", "upload-pack", "replay", "history",
}
