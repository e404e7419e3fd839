//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// topLike tells what of a screen is not as it is to be with so many lanes, seen from
// so many lines on: a line for each row, the page's head first, then the heading of the
// lanes, and its foot last. What is cut ends with an ellipsis.
func topLike(screen string, width, height, lanes, from int) string {
	rows := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
	if len(rows) != height {
		return fmt.Sprintf("%d rows, want %d", len(rows), height)
	}
	for y, row := range rows {
		want := fmt.Sprintf(`^[ ~!] lane-%03d .*…$`, y-2+from)
		switch {
		case y == 0:
			want = `^top +20\d\d-`
		case y == height-1:
			want = fmt.Sprintf(`^q en.* %d-%d of \d+$`, from+1, from+height-2)
		case y == 1:
			want = `^LANES +ADV`
		case y-2 >= lanes:
			return "there are fewer lanes than rows"
		case width > 150:
			want = strings.TrimSuffix(want, ".*…$")
		}
		if !regexp.MustCompile(want).MatchString(row) {
			return fmt.Sprintf("row %d is %q, want %s", y, row, want)
		}
		if n := len([]rune(row)); n > width {
			return fmt.Sprintf("row %d is %d wide", y, n)
		}
	}
	return ""
}

// With 200 leases a terminal of any size is filled: a lane takes one row, and head and
// foot stay where they are, however often the size changes while it runs.
func TestTopWatchFillsEverySize(t *testing.T) {
	t.Parallel()
	m := openTmux(t)
	names, rules := boardRules(200)
	if err := os.WriteFile(filepath.Join(m.dir, "dos.toml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	gitIn(t, m.dir, m.env, "commit", "-q", "-a", "-m", "rules")
	chains := map[string]int{}
	for _, name := range names {
		chains[name] = 1
	}
	boardHistory(t, m.dir, chains, time.Second, time.Now())
	m.run("git dos top --watch --interval 1s")
	m.own(true)
	like := func(width, height, from int) {
		t.Helper()
		wrong := ""
		m.until(fmt.Sprintf("%dx%d", width, height), func() bool {
			was := wrong
			if wrong = topLike(m.screen(), width, height, len(names), from); wrong != "" && wrong != was {
				t.Log(wrong)
			}
			return wrong == ""
		})
	}
	sizes := [][2]int{{80, 24}, {200, 50}, {40, 24}, {40, 10}, {20, 5}}
	resize := func(width, height int) { m.do("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height)) }
	for _, s := range sizes {
		resize(s[0], s[1])
		like(s[0], s[1], 0)
		m.keys("j", "j", "Down")
		like(s[0], s[1], 3)
		m.keys("End")
		m.shows(`^ +24 h`)
		rows := strings.Split(strings.TrimSuffix(m.screen(), "\n"), "\n")
		n := len(rows)
		if !strings.HasPrefix(rows[0], "top ") || !regexp.MustCompile(`^q en.* \d+-\d+ of \d+$`).MatchString(rows[n-1]) || !strings.Contains(rows[n-2], "24 h") {
			t.Errorf("%v: at its end it is\n%s", s, strings.Join(rows, "\n"))
		}
		m.keys("Home")
		like(s[0], s[1], 0)
	}
	for i := range 30 { // faster than it can draw
		resize(20+7*i%180, 5+3*i%45)
	}
	for _, s := range sizes {
		resize(s[0], s[1])
		like(s[0], s[1], 0)
	}
	m.keys("q")
	m.own(false)
}
