package refstore_test

import (
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestRejection(t *testing.T) {
	for _, tt := range []struct{ claim, words, want string }{
		{"nothing was said", "error: failed to push some refs\n", ""},
		{"the server's sentences come first, each once",
			"To hub\n!\ta:refs/heads/main\t[remote rejected] (deny updating it)\n!\tb:refs/dos/lane/api\t[remote rejected] (deny updating it)\nDone\n" +
				"remote: main is frozen until Monday.        \nremote: ask ops\nremote: \nremote: ask ops\n",
			"main is frozen until Monday.; ask ops; [remote rejected] (deny updating it)"},
		{"what git says of any hook is left out beside them",
			"!\ta:refs/heads/main\t[remote rejected] (pre-receive hook declined)\nremote: error: hook declined to update refs/heads/main\nremote: no\n", "no"},
		{"and kept where there is nothing else",
			"!\ta:refs/heads/main\t[remote rejected] (pre-receive hook declined)\n!\tb:refs/dos/lane/api\t[remote rejected] (pre-receive hook declined)\n",
			"[remote rejected] (pre-receive hook declined)"},
		{"that the push was atomic explains nothing",
			"!\ta:refs/heads/main\t[remote rejected] (atomic push failure)\n!\tb:refs/dos/lane/api\t[rejected] (atomic push failed)\n!\tc:refs/x\t[remote rejected] (no)\n",
			"[remote rejected] (no)"},
	} {
		if got := refstore.Rejection(tt.words); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
	}
}
