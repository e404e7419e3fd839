package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pack builds for each target and writes all that belongs to it.
func (r *release) pack(ctx context.Context, targets []target) error {
	extras, err := r.extras(ctx)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.packTarget(ctx, t, extras); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return r.writeSums()
}

func (r *release) packTarget(ctx context.Context, t target, extras []file) error {
	path, err := r.build(ctx, t)
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	modules, info, err := r.modulesOf(ctx, path)
	if err != nil {
		return err
	}
	bill, err := newBill(r.version, r.commit, r.at, binary, modules, info)
	if err != nil {
		return err
	}
	files := append(slices.Clone(extras), file{name: t.binary(), text: binary, exec: true},
		file{name: "THIRD-PARTY-LICENSES", text: licenceBook(modules)})
	name := fmt.Sprintf("git-dos_%s_%s", strings.TrimPrefix(r.version, "v"), t)
	if err := r.write(name+".cdx.json", func(w io.Writer) error { _, err := w.Write(bill); return err }); err != nil {
		return err
	}
	if err := r.writeArchive(t, name, files); err != nil {
		return err
	}
	if t.os != "linux" {
		return nil
	}
	return r.packages(ctx, t, files)
}

func (r *release) writeArchive(t target, name string, files []file) error {
	kind, ending := writeTar, ".tar.gz"
	if t.os == "windows" {
		kind, ending = writeZip, ".zip"
	}
	return r.write(name+ending, func(w io.Writer) error { return kind(w, sorted(files, name), r.at) })
}

// write makes one file of the release.
func (r *release) write(name string, text func(io.Writer) error) error {
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return err
	}
	return r.keep(name, b.Bytes())
}

func (r *release) keep(name string, text []byte) error {
	if err := os.WriteFile(filepath.Join(r.out, name), text, 0o666); err != nil {
		return err
	}
	r.sums = append(r.sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(text), name))
	fmt.Println(name)
	return nil
}

// writeSums writes what sha256sum --check reads.
func (r *release) writeSums() error {
	slices.SortFunc(r.sums, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return r.keep("SHA256SUMS", []byte(strings.Join(r.sums, "")))
}

// packages writes the packages of a Linux system with nfpm, which finds its
// files by their names in archives.
func (r *release) packages(ctx context.Context, t target, files []file) error {
	nfpm, err := r.nfpmTool(ctx)
	if err != nil {
		return err
	}
	stage := filepath.Join(r.work, "stage", t.String())
	if err := r.lay(stage, files); err != nil {
		return err
	}
	env := append(os.Environ(), "PACKAGE_ARCH="+t.arch, "PACKAGE_VERSION="+r.version, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.at.Unix()))
	for _, kind := range []string{"deb", "rpm"} {
		dir := filepath.Join(r.work, "packed", t.String(), kind)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		config := filepath.Join(r.source, "packaging", "nfpm.yaml")
		if _, err := r.tool(ctx, stage, env, nfpm, "package", "--config", config, "--packager", kind, "--target", dir); err != nil {
			return err
		}
		if err := r.keepFrom(dir); err != nil {
			return err
		}
	}
	return nil
}

// keepFrom keeps the one file of a folder, under its name.
func (r *release) keepFrom(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) != 1 {
		return fmt.Errorf("%d files in %s, not one package", len(entries), dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, entries[0].Name()))
	if err != nil {
		return err
	}
	return r.keep(entries[0].Name(), text)
}

// lay writes files below a folder, those that are compressed in packages
// compressed, all of the release's time.
func (r *release) lay(dir string, files []file) error {
	for _, f := range files {
		if strings.HasPrefix(f.name, "share/man/") || f.name == "CHANGELOG.md" {
			var err error
			if f, err = compressed(f); err != nil {
				return err
			}
		}
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.text, f.mode()); err != nil {
			return err
		}
		if err := os.Chtimes(path, time.Time{}, r.at); err != nil {
			return err
		}
	}
	return nil
}

// nfpmVersion is run as it is published; it is no part of git-dos.
const nfpmVersion = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// nfpmTool builds nfpm for this machine, once.
func (r *release) nfpmTool(ctx context.Context) (string, error) {
	dir := filepath.Join(r.work, "bin")
	tool := filepath.Join(dir, "nfpm")
	if _, err := os.Stat(tool); err == nil {
		return tool, nil
	}
	env := append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOWORK=off", "GOOS=", "GOARCH=", "GOAMD64=")
	_, err := r.tool(ctx, r.work, env, "go", "install", nfpmVersion)
	return tool, err
}
