package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// documents are files of the tree that are packed as they are.
var documents = []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md"}

// completions are the scripts of each shell, under the names by which shells
// find them.
var completions = map[string]string{"bash": "git-dos.bash", "zsh": "_git-dos", "fish": "git-dos.fish"}

// extras are the files of an archive that are the same for all systems:
// documents, manual pages and completions. The latter two are git-dos's own
// words, so it is built for this machine and asked for them.
func (r *release) extras(ctx context.Context) (files []file, err error) {
	for _, name := range documents {
		text, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, text: text})
	}
	dos, err := r.build(ctx, target{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return nil, err
	}
	pages, err := r.manualPages(ctx, dos)
	if err != nil {
		return nil, err
	}
	files = append(files, pages...)
	for shell, name := range completions {
		text, err := r.tool(ctx, r.work, r.plainEnv(), dos, "completion", shell)
		if err != nil {
			return nil, err
		}
		if len(text) == 0 {
			return nil, fmt.Errorf("git dos completion %s printed nothing", shell)
		}
		files = append(files, file{name: "completions/" + name, text: text})
	}
	return files, nil
}

func (r *release) manualPages(ctx context.Context, dos string) (files []file, err error) {
	dir := filepath.Join(r.work, "man1")
	if _, err := r.tool(ctx, r.work, r.plainEnv(), dos, "man", "install", "--dir", dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".1") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "share/man/man1/" + e.Name(), text: text})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("git dos man install wrote no page")
	}
	return files, nil
}

// plainEnv is an environment in which nobody has settings.
func (r *release) plainEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.work, "XDG_CONFIG_HOME=" + r.work, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
}
