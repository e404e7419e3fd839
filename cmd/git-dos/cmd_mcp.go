package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/mcpserver"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func mcpVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "mcp",
			Usage: "offer the verbs to an agent as tools, over standard input and output",
			Description: "A server of the Model Context Protocol: an agent's runtime starts it in the repository, or with -C DIR,\n" +
				"and ends it by closing its standard input. Each call runs this program once, with the arguments as\n" +
				"words and without a shell, and returns what --json prints, with the exit status, which is the verdict.\n" +
				"Offered are the verbs that read, taking, renewing and giving back a lane, beat, and next-up, which\n" +
				"writes packets. What ends a lease of others is not, nor is what starts or stops a process.\n\n" +
				"A message may have 1 MiB and an answer 64 KiB; of the calls 4 run at a time. A call that is cancelled\n" +
				"is interrupted, as at a terminal. Nothing is logged.",
			Action: serveMCP,
		},
		statuses: map[string][]status{"mcp": {{Code: verdict.Yes, Meaning: "the client has left"}}},
	}
}

// mcpInstructions are for the model, beside the list of tools.
const mcpInstructions = "Workers share this git repository by lanes. Take one with lease_acquire and work only on the lane that is " +
	"returned; renew it with lease_heartbeat within a third of its ttl and stop when it is lost; give it back with lease_release. " +
	"exit_status is the verdict: a refusal is an answer, not an error. Finished is what verify says, not what anybody says."

func serveMCP(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	for _, name := range []string{"now", "quiet"} {
		if c.IsSet(name) {
			return usagef("--%s means nothing to a server", name).hint("leave it out")
		}
	}
	self, err := os.Executable()
	if err != nil {
		return environmentf("the path of this program cannot be told: %w", err)
	}
	dir, err := filepath.Abs(workspace(c))
	if err != nil {
		return environmentf("%w", err)
	}
	in, ok := c.App.Reader.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(c.App.Reader)
	}
	s := &mcpserver.Server{
		Name: "git-dos", Version: buildVersion(debug.ReadBuildInfo()).Version,
		Instructions: mcpInstructions, Tools: mcpTools(), Run: mcpRunner(self, dir),
	}
	switch err := s.Serve(c.Context, in, &mcpOut{ctx: c.Context, to: c.App.Writer}); {
	case c.Context.Err() != nil:
		return c.Context.Err()
	case errors.Is(err, io.ErrClosedPipe):
		return errClosedOutput
	case err != nil:
		return environmentf("serve: %w", err)
	}
	return nil
}
