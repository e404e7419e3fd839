package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// A module is a part of a binary that others wrote.
type module struct {
	path, version, sum string
	licences           []string // SPDX names
	texts              []file
}

// modulesOf lists what a binary was linked from, as the linker wrote it into
// the binary, with the licences that each part came with.
func (r *release) modulesOf(ctx context.Context, binary string) ([]module, *debug.BuildInfo, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, nil, err
	}
	if r.folders == nil {
		if r.folders, err = r.moduleFolders(ctx); err != nil {
			return nil, nil, err
		}
	}
	var modules []module
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			return nil, nil, fmt.Errorf("%s is replaced: a release is made of published modules", dep.Path)
		}
		m, err := readModule(r.folders[dep.Path], module{path: dep.Path, version: dep.Version, sum: dep.Sum})
		if err != nil {
			return nil, nil, err
		}
		modules = append(modules, m)
	}
	std, err := readModule(r.folders["std"], module{path: "std", version: info.GoVersion})
	return append(modules, std), info, err
}

// moduleFolders says where each module lies, and Go itself as "std".
func (r *release) moduleFolders(ctx context.Context) (map[string]string, error) {
	env := append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	out, err := r.tool(ctx, r.source, env, "go", "list", "-m", "-json=Path,Dir", "all")
	if err != nil {
		return nil, err
	}
	root, err := r.tool(ctx, r.source, env, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"std": strings.TrimSpace(string(root))}
	for list := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Dir string }
		switch err := list.Decode(&m); {
		case errors.Is(err, io.EOF):
			return folders, nil
		case err != nil:
			return nil, err
		}
		folders[m.Path] = m.Dir
	}
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)

// readModule reads the licences at the top of a module. One without, or of
// words that are not known here, ends the release: nobody has looked at them.
func readModule(dir string, m module) (module, error) {
	if dir == "" {
		return m, fmt.Errorf("%s %s is not in the module cache: run go mod download", m.path, m.version)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return m, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return m, err
		}
		m.texts = append(m.texts, file{name: e.Name(), text: text})
		m.licences = append(m.licences, licencesIn(string(text))...)
	}
	slices.Sort(m.licences)
	m.licences = slices.Compact(m.licences)
	if len(m.licences) == 0 {
		return m, fmt.Errorf("%s %s: no licence is known in %s", m.path, m.version, dir)
	}
	return m, nil
}

// licencesIn names the licences whose words a text has.
func licencesIn(text string) (names []string) {
	text = strings.Join(strings.Fields(text), " ")
	has := func(words string) bool { return strings.Contains(text, words) }
	if has("Apache License Version 2.0") || has("Apache License, Version 2.0") {
		names = append(names, "Apache-2.0")
	}
	if has("Permission is hereby granted, free of charge, to any person obtaining a copy") {
		names = append(names, "MIT")
	}
	if has("Redistribution and use in source and binary forms, with or without modification") {
		if has("Neither the name") || has("may not be used to endorse") || has("may be used to endorse") {
			names = append(names, "BSD-3-Clause")
		} else {
			names = append(names, "BSD-2-Clause")
		}
	}
	if has("Mozilla Public License") {
		names = append(names, "MPL-2.0")
	}
	return names
}

// licenceBook is the licences of all modules in one text, as most of them ask
// of those who pass the binary on.
func licenceBook(modules []module) []byte {
	var b bytes.Buffer
	for _, m := range modules {
		for _, t := range m.texts {
			fmt.Fprintf(&b, "==== %s %s: %s ====\n\n%s\n\n", m.path, m.version, t.name, bytes.TrimSpace(t.text))
		}
	}
	return b.Bytes()
}
