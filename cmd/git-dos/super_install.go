package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/beat"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/super"
)

// superCadence reads how often a tick comes.
func superCadence(c *cli.Context) (time.Duration, error) {
	if !c.IsSet("cadence") {
		return superUsual, nil
	}
	d, err := policy.ParseDuration(c.String("cadence"))
	if err != nil || d < time.Minute || d > superLongest {
		return 0, usagef("--cadence %q is no duration from 1m to %s", c.String("cadence"), superLongest).hint("write it like 30m, 1h or 90m")
	}
	return d.Truncate(time.Second), nil
}

// The cadence by default, and the longest: a third of the longest lease would be more.
const (
	superUsual   = time.Hour
	superLongest = 30 * 24 * time.Hour
)

func superInstall(c *cli.Context) error {
	switch {
	case !c.Bool("print"):
		return usagef("nothing is installed by git dos itself").hint("--print shows what to put where")
	case c.Bool("systemd") && c.Bool("cron"):
		return usagef("--systemd and --cron are two ways").hint("take one")
	}
	cadence, err := superCadence(c)
	if err != nil {
		return err
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	if repo.WorkTree == "" {
		return usagef("a bare repository has no files to work on").hint("run it in a clone")
	}
	self, err := os.Executable()
	if err != nil {
		return environmentf("where git-dos is: %w", err)
	}
	dir, err := filepath.Abs(repo.WorkTree)
	if err != nil {
		return environmentf("%w", err)
	}
	words := []string{self, "super", "tick", "--workspace", dir, "--cadence", policy.ShowDuration(cadence)}
	if c.NArg() > 0 {
		words = append(append(words, "--"), c.Args().Slice()...)
	}
	ev := super.InstallEvidence{Words: words, Dir: dir, Name: superUnitName(dir), Cadence: cadence,
		Declare: fmt.Sprintf("%s = %q", beat.Dispatcher, policy.ShowDuration(cadence))}
	print := super.Systemd
	if c.Bool("cron") {
		print = super.Cron
	}
	i, err := print(ev)
	if err != nil {
		return usagef("%w", err).hint("--systemd takes every cadence; move the repository where its path is plain")
	}
	return answer(c, i)
}

// superUnitName tells the units of several repositories of one user apart.
func superUnitName(dir string) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, filepath.Base(dir))
	sum := sha256.Sum256([]byte(dir))
	return plain[:min(len(plain), 40)] + "-" + hex.EncodeToString(sum[:4])
}
