package main

import (
	"os"
	"path/filepath"
)

// superviseTick measures one tick of a supervisor that has nothing to do, with the
// taking and the giving back of its lane, beside one read verb.
func superviseTick(b *bench) ([]row, error) {
	dir, err := b.leased()
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "dos.toml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.WriteString("\n[supervise]\nworker_launch_template = \"true {lane}\"\n"); err != nil {
		return nil, err
	}
	if err := b.quiet(dir, []string{"git", "commit", "--quiet", "-a", "-m", "supervise"}); err != nil {
		return nil, err
	}
	tick := b.process(dir, b.dos, "supervise", "--target", "0", "--host-cap", "1", "--max-ticks", "1")
	m, err := b.pairs(localPairs, b.process(dir, b.start), b.process(dir, b.dos, "lease", "live"), tick)
	if err != nil {
		return nil, err
	}
	return []row{{what: "supervise, one tick, 50 leases", product: m[2], start: m[0], git: m[1], target: 5, note: "with its lane taken and given back; git column: lease live"}}, nil
}
