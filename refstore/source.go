package refstore

import (
	"context"
	"fmt"
	"strings"
)

// source is what to fetch from so as to read where pushes go: the remote's
// name, or, where git pushes to another URL than it fetches from, that URL.
// Otherwise one clone would decide on a fork's state and write to the hub, and
// two would believe that they had asked the same authority.
func (a *Remote) source(ctx context.Context) (string, error) {
	if a.from != "" {
		return a.from, nil
	}
	c, err := a.repo.Config()
	if err != nil {
		return "", err
	}
	a.from = a.name
	if !c.splitsURLs(a.name) {
		return a.from, nil
	}
	if a.from, err = a.pushURL(ctx); err != nil {
		a.from = ""
	}
	return a.from, err
}

// splitsURLs reports whether anything is configured by which the remote's
// fetches and pushes could go to different places.
func (c Config) splitsURLs(remote string) bool {
	if len(c.values["remote."+remote+".url"]) > 1 || len(c.values["remote."+remote+".pushurl"]) > 0 {
		return true
	}
	for key := range c.values {
		if strings.HasPrefix(key, "url.") && strings.HasSuffix(key, ".pushinsteadof") {
			return true
		}
	}
	return false
}

// pushURL asks git where pushes go; the remote's name when fetches go there
// too.
func (a *Remote) pushURL(ctx context.Context) (string, error) {
	push, err := a.run.Output(ctx, "remote", "get-url", "--push", "--all", a.name)
	if err != nil {
		return "", err
	}
	fetch, err := a.run.Output(ctx, "remote", "get-url", a.name)
	if err != nil {
		return "", err
	}
	url := strings.TrimSuffix(string(push), "\n")
	switch {
	case url == strings.TrimSuffix(string(fetch), "\n"):
		return a.name, nil
	case strings.Contains(url, "\n"):
		return "", fmt.Errorf("remote %s has several push URLs, and lanes are decided in one place: use a remote with one", a.name)
	case url == "" || url[0] == '-':
		return "", fmt.Errorf("remote %s has a push URL that git would misread: %q", a.name, url)
	}
	return url, nil
}
