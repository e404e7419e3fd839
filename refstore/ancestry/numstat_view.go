package ancestry

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// Opaque lists the suffixes of files whose lines are not counted: pictures,
// archives and what compilers write. Every other file is text, whatever bytes
// are in it, so that one NUL does not make white space count.
func Opaque() []string {
	return strings.Fields(`
		png jpg jpeg gif bmp ico webp tif tiff psd avif heic mp3 mp4 wav ogg flac mov avi mkv webm pdf docx xlsx pptx odt
		ttf otf woff woff2 eot zip tar gz tgz bz2 xz zst 7z rar jar war whl o a so dll dylib exe bin class pyc pyo wasm`)
}

// objectView makes a git directory that has the repository's objects and
// nothing else of it: no attributes, neither committed, of a work tree nor of
// this clone, and no setting that makes a file binary. What a file is depends
// on its name alone. The caller closes the directory.
func objectView(ctx context.Context, run git.Runner) (git.Runner, *refstore.Scratch, error) {
	out, err := run.Offline().Output(ctx, "rev-parse", "--path-format=absolute", "--git-path", "objects", "--show-object-format")
	if err != nil {
		return run, nil, err
	}
	objects, format, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	view, err := refstore.MakeScratch("objects")
	if err != nil {
		return run, nil, err
	}
	dir := view.Dir
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	empty := "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	if refstore.Format(format) == refstore.SHA256 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
		empty = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	attributes := "*." + strings.Join(Opaque(), " -diff\n*.") + " -diff\n"
	for _, f := range [][2]string{{"config", config}, {"HEAD", "ref: refs/heads/none\n"}, {"refs/.keep", ""}, {"info/attributes", attributes}} {
		path := filepath.Join(dir, f[0])
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, []byte(f[1]), 0o600)
		}
		if err != nil {
			_ = view.Close()
			return run, nil, err
		}
	}
	run.Env = append(slices.Clone(run.Env), "GIT_DIR="+dir, "GIT_COMMON_DIR="+dir, "GIT_OBJECT_DIRECTORY="+objects, "GIT_IMPLICIT_WORK_TREE=0",
		"GIT_ATTR_NOSYSTEM=1", "GIT_ATTR_SOURCE="+empty)
	run.Config = append(slices.Clone(run.Config), "core.bare=true", "core.attributesFile="+os.DevNull, "diff.default.binary=false")
	return run, view, nil
}
