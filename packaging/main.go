// Command packaging makes what a release consists of: archives, packages for
// Debian's and Red Hat's tools, a bill of materials for each system, and
// checksums.
//
// It packs a commit, never the files that lie about: the commit is laid out in
// a folder of its own and built there. The same commit, built by the same Go,
// gives the same bytes on every machine, whatever its time, time zone, locale,
// umask and folders are.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

// run packs a commit, and prints the name of each file that it wrote.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("packaging", flag.ContinueOnError)
	out := flags.String("o", "dist", "write to the folder `DIR`, which must not exist or be empty")
	commit := flags.String("commit", "HEAD", "pack `COMMIT`")
	only := flags.String("targets", strings.Join(allTargets, ","), "build for `SYSTEMS` alone")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	targets, err := parseTargets(*only)
	if err != nil {
		return err
	}
	if err := emptyFolder(*out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "packaging")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r, err := newRelease(ctx, *commit, work, *out)
	if err != nil {
		return err
	}
	return r.pack(ctx, targets)
}

// emptyFolder makes a folder, or sees that there is nothing in it that could be
// taken for a part of the release.
func emptyFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: remove it, or name another folder with -o", dir)
	}
	return nil
}
