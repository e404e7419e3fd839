package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// hookContext is the context of a command that reads and writes these.
func hookContext(in io.Reader, errs io.Writer) *cli.Context {
	app := cli.NewApp()
	app.Reader, app.ErrWriter = in, errs
	c := cli.NewContext(app, nil, nil)
	c.Context = context.Background()
	return c
}

// A hook never waits for ever, and never takes what git did not write for a
// push of nothing.
func TestHookInputThatIsNotGitsIsRefused(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for claim, in := range map[string]*os.File{"a device, as a terminal is one": null, "a closed file": closed} {
		var bad *hooks.ProtocolError
		if data, err := hookInput(hookContext(in, io.Discard), hooks.PrePush); !errors.As(err, &bad) {
			t.Errorf("%s: %q, %v", claim, data, err)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	if _, err := w.WriteString("half a line"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	data, err := hookRead(context.Background(), hooks.PrePush, r, 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "stayed open and nothing came for 50ms") || time.Since(began) > 5*time.Second {
		t.Errorf("a pipe that nobody writes to: %q, %v after %s", data, err, time.Since(began))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := hookRead(ctx, hooks.PrePush, r, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestHookInputIsReadToItsEnd(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	if data, err := hookRead(context.Background(), hooks.PrePush, strings.NewReader(long), time.Second); string(data) != long || err != nil {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	endless := io.MultiReader(strings.NewReader(strings.Repeat("x", hooks.MaxInput)), strings.NewReader(long))
	data, err := hookRead(context.Background(), hooks.PrePush, endless, time.Second)
	if _, bad := hooks.ParsePrePush([]string{"a", "b"}, data); err != nil || bad == nil {
		t.Errorf("too much input: %d bytes, %v, %v", len(data), err, bad)
	}
}

func TestASlowHookSaysSoOnce(t *testing.T) {
	var said bytes.Buffer
	stop := hookProgress(hookContext(nil, &said), hooks.PrePush, time.Millisecond)
	time.Sleep(100 * time.Millisecond)
	stop()
	if said.String() != "git-dos: pre-push: the gates are still at work\n" {
		t.Errorf("%q", said.String())
	}
	said.Reset()
	hookProgress(hookContext(nil, &said), hooks.PrePush, time.Hour)()
	if said.Len() > 0 {
		t.Errorf("a quick one says %q", said.String())
	}
}

func TestHowLongAHookIsSilent(t *testing.T) {
	for said, want := range map[string]time.Duration{
		"": hookQuiet, "0": 0, "7": 7 * time.Second, "soon": hookQuiet, "-1": hookQuiet, "1.5": hookQuiet,
		"86401": 24 * time.Hour, "99999999999999999999": 24 * time.Hour,
	} {
		t.Setenv("GIT_PROGRESS_DELAY", said)
		if got := progressDelay(); got != want {
			t.Errorf("%q: got %v, want %v", said, got, want)
		}
	}
}

// What others name and write passes for no line of ours.
func TestHookAnswersKeepTheWordsOfOthersApart(t *testing.T) {
	v := hookVerdictOf(hooks.Push{Hook: hooks.PrePush}, []hooks.Result{{
		Token: hooks.FileAdmission, Outcome: hooks.Refused, Found: 3,
		Findings: []hooks.Finding{{Token: hooks.FileAdmission, Path: "a\ngit-dos: b\x1b[2J", Reason: "x\ry", Fix: "z"}},
	}})
	text := v.String()
	if v.ExitCode() != hookGated || strings.ContainsAny(text, "\x1b\r") || strings.Count(text, "\n") != 5 || !strings.Contains(text, "FILE_ADMISSION: 2 more") {
		t.Errorf("%q", text)
	}
}

func TestWhatCannotBeJudgedIsNoRefusal(t *testing.T) {
	unread := hooks.CannotJudgeAll(errors.New("x"), nil)
	refused := hooks.Result{Outcome: hooks.Refused, Findings: []hooks.Finding{{Token: hooks.OffTrunk}}}
	for want, results := range map[int][]hooks.Result{0: nil, 2: {unread}, 5: {unread, refused}} {
		if got := hookVerdictOf(hooks.Push{}, results).ExitCode(); got != want {
			t.Errorf("exit %d, want %d", got, want)
		}
	}
}

// What others did before is no wall of text before what a push itself does.
func TestWhatWentPastTheGatesBeforeIsTold(t *testing.T) {
	of := func(token hooks.Token, outcome string) string {
		all := make([]hooks.Finding, 12)
		for i := range all {
			all[i] = hooks.Finding{Token: token, Reason: "x", Fix: "y"}
		}
		return hookVerdict{Gates: []hooks.Result{{Token: token, Outcome: outcome, Findings: all, Found: 14}}}.String()
	}
	for _, tt := range []struct {
		token   hooks.Token
		outcome string
		shown   int
		more    string
	}{
		{hooks.Ungated, hooks.Warned, 1, "UNGATED: 13 more"},
		{hooks.Ungated, hooks.Refused, 10, "UNGATED: 4 more"},
		{hooks.BrokenLink, hooks.Warned, 10, "BROKEN_LINK: 4 more"},
	} {
		text := of(tt.token, tt.outcome)
		if got := strings.Count(text, "fix: y"); got != tt.shown || !strings.Contains(text, tt.more) {
			t.Errorf("%s %s: %d are shown:\n%s", tt.token, tt.outcome, got, text)
		}
	}
}

// Of a ledger that turns out to be broken nothing counts, of the others all.
func TestABrokenLedgerGivesNoReceipts(t *testing.T) {
	var r hookReceipts
	for _, node := range []string{"north", "south", "north"} {
		r.all, r.rows = append(r.all, pushed.Receipt{Tip: refstore.OID(node)}), append(r.rows, journal.Row{From: node})
	}
	r.drop("north")
	if len(r.all) != 1 || len(r.rows) != 1 || r.all[0].Tip != "south" || r.rows[0].From != "south" {
		t.Errorf("%+v", r)
	}
}
