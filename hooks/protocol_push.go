package hooks

import (
	"fmt"
	"strings"
)

// ParsePrePush reads what git gives a pre-push hook: its two arguments, the
// remote's name or else its address, and the address; and a line for each ref,
// what the pusher calls it, its id, the ref there and the id that has. No line
// means that nothing is to be pushed.
func ParsePrePush(args []string, stdin []byte) (Push, error) {
	if len(args) != 2 || args[0] == "" {
		return Push{}, wantArguments(PrePush, "the remote and its address", args)
	}
	updates, err := eachLine(PrePush, stdin, prePushLine)
	return Push{Hook: PrePush, Remote: args[0], URL: args[1], Updates: updates}, err
}

// prePushLine reads from the right: what the pusher calls a commit is as it was
// typed, blanks and all.
func prePushLine(line string) (u Update, err error) {
	words := strings.Split(line, " ")
	n := len(words)
	if n < 4 {
		return u, fmt.Errorf("%d fields, want 4: local ref, local id, remote ref, remote id", n)
	}
	u.Local = strings.Join(words[:n-3], " ")
	if u.New, err = objectID(words[n-3]); err != nil {
		return u, err
	}
	if u.Ref, err = refName(words[n-2]); err != nil {
		return u, err
	}
	u.Old, err = objectID(words[n-1])
	switch {
	case err != nil:
		return u, err
	case u.Local == "":
		return u, fmt.Errorf("the local ref is empty")
	case (u.Local == "(delete)") != u.Deletes():
		return u, fmt.Errorf("%q does not go with the id %s", clip(u.Local), words[n-3])
	}
	return u, nil
}

// ParseReceive reads what git gives a pre-receive or a post-receive hook: a line
// for each ref, its old id, its new id and its name.
func ParseReceive(hook string, args []string, stdin []byte) (Push, error) {
	if len(args) != 0 {
		return Push{}, wantArguments(hook, "none", args)
	}
	updates, err := eachLine(hook, stdin, receiveLine)
	return Push{Hook: hook, Updates: updates}, err
}

// ParseUpdate reads the three arguments of an update hook.
func ParseUpdate(args []string) (Push, error) {
	if len(args) != 3 {
		return Push{}, wantArguments(UpdateHook, "a ref, its old id and its new id", args)
	}
	u, err := update(args[1], args[2], args[0])
	if err == nil {
		_, err = oneWidth(0, u)
	}
	if err != nil {
		return Push{}, &ProtocolError{UpdateHook, 0, err.Error()}
	}
	return Push{Hook: UpdateHook, Updates: []Update{u}}, nil
}

func receiveLine(line string) (Update, error) {
	words := strings.Split(line, " ")
	if len(words) != 3 {
		return Update{}, fmt.Errorf("%d fields, want 3: old id, new id, ref", len(words))
	}
	u, err := update(words[0], words[1], words[2])
	if err == nil && u.Old == "" && u.New == "" {
		err = fmt.Errorf("neither id names an object")
	}
	return u, err
}

func update(from, to, ref string) (u Update, err error) {
	if u.Old, err = objectID(from); err != nil {
		return u, err
	}
	if u.New, err = objectID(to); err != nil {
		return u, err
	}
	u.Ref, err = refName(ref)
	return u, err
}

func wantArguments(hook, want string, args []string) error {
	return &ProtocolError{hook, 0, fmt.Sprintf("%d arguments, want %s", len(args), want)}
}
