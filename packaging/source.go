package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// A release is one commit on its way into packages.
type release struct {
	commit  string
	version string    // as Go would name the commit: v1.2.3 where it is tagged
	at      time.Time // the time of everything that is written
	source  string    // where the commit is laid out
	work    string    // for what is not kept
	out     string

	sums    []string          // a line for each file that was written
	folders map[string]string // of modules, by path
}

// newRelease lays a commit out below work.
func newRelease(ctx context.Context, name, work, out string) (*release, error) {
	r := &release{source: filepath.Join(work, "source"), work: work, out: out}
	g := git.Runner{Config: []string{"core.autocrlf=false", "core.eol=lf"}}
	line, err := g.Output(ctx, "show", "-s", "--format=%H %ct", "--end-of-options", name+"^{commit}", "--")
	if err != nil {
		return nil, err
	}
	var seconds int64
	if _, err := fmt.Sscanf(string(line), "%s %d", &r.commit, &seconds); err != nil {
		return nil, fmt.Errorf("the time of %s: %w", name, err)
	}
	if r.at, err = buildTime(seconds, os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		return nil, err
	}
	if r.version, err = versionOf(ctx, g, r.commit, time.Unix(seconds, 0)); err != nil {
		return nil, err
	}
	archive, err := g.Output(ctx, "archive", "--format=tar", r.commit)
	if err != nil {
		return nil, err
	}
	return r, layOut(archive, r.source)
}

// buildTime is the commit's time, or what the environment says instead.
func buildTime(commit int64, epoch string) (time.Time, error) {
	if epoch != "" {
		var err error
		if commit, err = strconv.ParseInt(epoch, 10, 64); err != nil || commit < 0 {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q: it must be a number of seconds", epoch)
		}
	}
	return time.Unix(commit, 0).UTC(), nil
}

// versionOf names a commit by its tag, and another one after the nearest tag.
func versionOf(ctx context.Context, g git.Runner, commit string, at time.Time) (string, error) {
	const like = "--match=v[0-9]*"
	tag, err := g.Output(ctx, "describe", "--tags", "--exact-match", like, commit)
	if err == nil {
		return versionAfter(strings.TrimSpace(string(tag)), "", at)
	}
	if git.Code(err) != 128 {
		return "", err
	}
	tag, err = g.Output(ctx, "describe", "--tags", "--abbrev=0", like, commit)
	if err != nil && git.Code(err) != 128 {
		return "", err
	}
	return versionAfter(strings.TrimSpace(string(tag)), commit, at)
}

var semver = regexp.MustCompile(`^v(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-[0-9A-Za-z.-]+)?$`)

// versionAfter is the version of a commit after a tag, in the form that Go
// gives it; without a commit it is the tag's own.
func versionAfter(tag, commit string, at time.Time) (string, error) {
	if tag == "" {
		return fmt.Sprintf("v0.0.0-%s-%.12s", at.UTC().Format("20060102150405"), commit), nil
	}
	m := semver.FindStringSubmatch(tag)
	switch {
	case m == nil:
		return "", fmt.Errorf("the tag %q is no version: it must be like v1.2.3 or v1.2.3-rc.1", tag)
	case commit == "":
		return tag, nil
	}
	base := tag + ".0"
	if m[4] == "" {
		patch, _ := strconv.Atoi(m[3])
		base = fmt.Sprintf("v%s.%s.%d-0", m[1], m[2], patch+1)
	}
	return fmt.Sprintf("%s.%s-%.12s", base, at.UTC().Format("20060102150405"), commit), nil
}

// layOut writes the files of an archive below a folder.
func layOut(archive []byte, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for files := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case h.Typeflag == tar.TypeDir:
			err = root.MkdirAll(filepath.Clean(h.Name), 0o777)
		case h.Typeflag == tar.TypeReg:
			var text []byte
			if text, err = io.ReadAll(files); err == nil {
				err = root.WriteFile(h.Name, text, h.FileInfo().Mode().Perm())
			}
		case h.Typeflag != tar.TypeXGlobalHeader:
			err = fmt.Errorf("%s is neither a file nor a folder", h.Name)
		}
		if err != nil {
			return err
		}
	}
}
