package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// allTargets are the systems that are built for.
var allTargets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// A target is a system to build for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "_" + t.arch }

// binary is what git must find on its path there.
func (t target) binary() string {
	if t.os == "windows" {
		return "git-dos.exe"
	}
	return "git-dos"
}

func parseTargets(list string) (targets []target, err error) {
	for name := range strings.SplitSeq(list, ",") {
		if !slices.Contains(allTargets, name) {
			return nil, fmt.Errorf("no target %q: there are %s", name, strings.Join(allTargets, ", "))
		}
		system, arch, _ := strings.Cut(name, "/")
		if t := (target{system, arch}); !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	return targets, nil
}

// fetchSettings say where modules come from and lie, which does not bear on the
// bytes: go.sum holds them to what they were.
var fetchSettings = []string{"GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOMODCACHE", "GOCACHE", "GOTOOLCHAIN"}

// buildEnv is the environment of a build: what in it bears on the bytes is set
// here, so that nobody's own settings do, whether they stand in the environment
// or in the file of go env -w.
func (r *release) buildEnv(ctx context.Context, t target) ([]string, error) {
	out, err := r.tool(ctx, r.source, os.Environ(), append([]string{"go", "env", "-json"}, fetchSettings...)...)
	if err != nil {
		return nil, err
	}
	var fetch map[string]string
	if err := json.Unmarshal(out, &fetch); err != nil {
		return nil, err
	}
	env := append(os.Environ(), "GOENV=off", "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=", "GOWORK=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off")
	for _, name := range fetchSettings {
		env = append(env, name+"="+fetch[name])
	}
	return env, nil
}

// build builds git-dos for a system, and returns the path of the binary.
func (r *release) build(ctx context.Context, t target) (string, error) {
	path := filepath.Join(r.work, t.String(), t.binary())
	stamp := fmt.Sprintf("-s -w -X main.packagedVersion=%s -X main.packagedCommit=%s", r.version, r.commit)
	env, err := r.buildEnv(ctx, t)
	if err != nil {
		return "", err
	}
	_, err = r.tool(ctx, r.source, env, "go", "build", "-trimpath", "-buildvcs=false", "-tags", "urfave_cli_no_docs",
		"-ldflags", stamp, "-o", path, "./cmd/git-dos")
	return path, err
}

// tool runs a program in a folder and returns what it printed.
func (r *release) tool(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args[:2], " "), err, words.String())
	}
	return out, nil
}
