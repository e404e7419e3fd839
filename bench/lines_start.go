package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// startLibraries measures what each module that the product requires adds to the start
// of a process: a program that imports of it what the product does, and does
// nothing, beside one that imports nothing. They share packages, so that all of
// them together add less than the sum.
func startLibraries(b *bench) ([]row, error) {
	modules, err := b.libraries()
	if err != nil {
		return nil, err
	}
	empty, err := b.importing("empty")
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(modules))
	arms := []arm{b.process(b.root, empty), b.process(b.root, b.start)}
	for _, name := range names {
		program, err := b.importing(path.Base(path.Dir(name))+"-"+path.Base(name), modules[name]...)
		if err != nil {
			return nil, err
		}
		arms = append(arms, b.process(b.root, program))
	}
	m, err := b.pairs(localPairs, arms...)
	if err != nil {
		return nil, err
	}
	const beside = "beside an empty program"
	rows := []row{{what: "start, all that is linked", product: m[1], git: m[0], note: beside}}
	for i, name := range names {
		rows = append(rows, row{what: "start, " + strings.TrimPrefix(name, "github.com/"), product: m[i+2], git: m[0], note: beside})
	}
	return rows, nil
}

// importing builds a program that imports packages and does nothing.
func (b *bench) importing(name string, packages ...string) (string, error) {
	source := "package main\n\n"
	for _, p := range packages {
		source += "import _ \"" + p + "\"\n"
	}
	return b.build("start-"+name, "cmd/"+name+"/main.go", source+"\nfunc main() {}\n")
}

// libraries is what the product's own packages import of others, by module.
func (b *bench) libraries() (map[string][]string, error) {
	out, err := b.output(".", "", "go", "list", "-tags", buildTag, "-deps", "-json=ImportPath,Module,Imports", "./cmd/git-dos")
	if err != nil {
		return nil, err
	}
	var own []string
	moduleOf, modules := map[string]string{}, map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
			Module     *struct {
				Path string
				Main bool
			}
		}
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			slices.Sort(own)
			for _, name := range slices.Compact(own) {
				if module := moduleOf[name]; module != "" {
					modules[module] = append(modules[module], name)
				}
			}
			return modules, nil
		case err != nil:
			return nil, err
		case p.Module != nil && p.Module.Main:
			own = append(own, p.Imports...)
		case p.Module != nil:
			moduleOf[p.ImportPath] = p.Module.Path
		}
	}
}
