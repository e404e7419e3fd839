package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/journal"
)

// splitUp writes a state down in parts and takes its head up.
func splitUp(t interface{ Fatal(...any) }, s *journal.State, to int) (*journal.State, []journal.Part) {
	head, parts, err := s.SplitSmall(epoch, to)
	if err != nil {
		t.Fatal(err)
	}
	got := journal.New(s.Node())
	got.Fold(journal.OpCheckpoint, time.Time{}, head)
	if lacks := got.Lacks(journal.Everything); len(lacks) != len(parts) || got.Seq() != s.Seq() {
		t.Fatal(fmt.Sprintf("%d rows, lacks %v of %d parts", got.Seq(), lacks, len(parts)))
	}
	return got, parts
}

// pickParts are those with the names.
func pickParts(parts []journal.Part, names []string) (some []journal.Part) {
	for _, p := range parts {
		if slices.Contains(names, p.Name) {
			some = append(some, p)
		}
	}
	return some
}

func filled(t interface{ Fatal(...any) }, s *journal.State, parts []journal.Part) *journal.State {
	if len(parts) == 0 {
		return s
	}
	if err := s.Fill(parts...); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAStateInPartsIsTheStateOnceAllAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload, err := drawState(t).Checkpoint(epoch)
		if err != nil {
			t.Fatal(err)
		}
		s, err := journal.Restore("n1", payload)
		if err != nil {
			t.Fatal(err)
		}
		to := rapid.IntRange(1, 2000).Draw(t, "to")
		got, parts := splitUp(t, s, to)
		for _, p := range rapid.Permutation(parts).Draw(t, "order") {
			filled(t, got, []journal.Part{p})
		}
		head, again, err := got.SplitSmall(epoch, to)
		want, _, _ := s.SplitSmall(epoch, to)
		if err != nil || !bytes.Equal(head, want) || !reflect.DeepEqual(again, parts) {
			t.Fatalf("written again: %v\n%s\n%s", err, head, want)
		}
		if diff := journal.Differ(got, s); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Whenever a checkpoint is made and whenever its parts are read, before or after
// further rows, nothing is answered otherwise.
func TestPartsReadLateSayWhatTheyWouldHaveSaidAtFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chain := drawChain(t, 60)
		s := journal.New("n1")
		var waiting []journal.Part
		for _, e := range chain {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				s, waiting = splitUp(t, filled(t, s, waiting), rapid.IntRange(1, 900).Draw(t, "to"))
			case 1:
				n := rapid.IntRange(0, len(waiting)).Draw(t, "read")
				filled(t, s, waiting[:n])
				waiting = waiting[n:]
			}
			s.Fold(e.op, e.at, e.payload)
		}
		other := fold("n2", drawChain(t, 20))
		got, want := answers(t, journal.Merge(filled(t, s, waiting), other)), answers(t, journal.Merge(fold("n1", chain), other))
		if got != want {
			t.Fatalf("%s\n%s", got, want)
		}
	})
}

// What a question needs is enough to answer it, and what was not read is never
// taken for what is not there.
func TestAQuestionIsAnsweredByThePartsItNeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chain := drawChain(t, 60)
		cut := rapid.IntRange(0, len(chain)).Draw(t, "cut")
		to := rapid.IntRange(1, 900).Draw(t, "to")
		want := journal.Merge(fold("n1", chain))
		_, parts := splitUp(t, fold("n1", chain[:cut]), to)
		ask := func(needs ...journal.Need) (*journal.State, journal.View) {
			s, _ := splitUp(t, fold("n1", chain[:cut]), to)
			for _, e := range chain[cut:] {
				s.Fold(e.op, e.at, e.payload)
			}
			if names := s.Lacks(needs...); len(names) > 0 {
				filled(t, s, pickParts(parts, names))
			}
			if left := s.Lacks(needs...); len(left) > 0 {
				t.Fatalf("filled and lacks %v", left)
			}
			return s, journal.Merge(s)
		}
		id := pick(t, "asked", append(want.Runs(), "nobody")...)
		if _, v := ask(journal.NeedRuns(id)); !reflect.DeepEqual(v.Story(id), want.Story(id)) {
			t.Fatalf("run %s: %+v\n%+v", id, v.Story(id), want.Story(id))
		}
		if _, v := ask(); v.Story(id).Complete && !reflect.DeepEqual(v.Story(id), want.Story(id)) {
			t.Fatalf("run %s, whose rows were not read: %+v\n%+v", id, v.Story(id), want.Story(id))
		}
		s, v := ask(journal.NeedAlerts())
		if names := s.Lacks(journal.NeedRuns(v.AlertRuns()...)); len(names) > 0 {
			filled(t, s, pickParts(parts, names))
			v = journal.Merge(s)
		}
		if got, want := fmt.Sprint(v.Alerts(), v.Acks(), v.ForgotAlerts()), fmt.Sprint(want.Alerts(), want.Acks(), want.ForgotAlerts()); got != want {
			t.Fatalf("alerts: %s\n%s", got, want)
		}
		now, window := epoch, time.Duration(rapid.IntRange(0, 7200).Draw(t, "window"))*time.Second
		_, v = ask(journal.NeedSpawns(now.Add(-window)))
		if slices.ContainsFunc(v.Pending(now, window), func(r journal.Row) bool { return r.Key != "" }) {
			_, v = ask(journal.NeedSpawns(time.Time{}))
		}
		if got, want := fmt.Sprint(v.Pending(now, window)), fmt.Sprint(want.Pending(now, window)); got != want {
			t.Fatalf("spawns of %s: %s\n%s", window, got, want)
		}
		_, v = ask(journal.NeedCounts())
		if got, want := v.Count("SPAWN", epoch.Add(-9*time.Hour), epoch.Add(9*time.Hour)), want.Count("SPAWN", epoch.Add(-9*time.Hour), epoch.Add(9*time.Hour)); got != want {
			t.Fatalf("counts: %d, want %d", got, want)
		}
	})
}

func TestAStateThatLacksPartsSaysSo(t *testing.T) {
	var all []journal.Row
	for i := range 40 {
		id := fmt.Sprintf("R%02d", i)
		all = append(all, journal.Row{Op: journal.OpIntent, RunID: id, Goal: "g"}, journal.Row{Op: journal.OpHalt, RunID: id}, journal.Row{Op: journal.OpAttempt, Unit: id})
	}
	s := rows(t, "n1", all...)
	got, parts := splitUp(t, s, 300)
	v := journal.Merge(got)
	if story := v.Story("R07"); story.Complete || len(v.Doubts()) > 0 {
		t.Errorf("a run that was not read: %+v, %+v", story, v.Doubts())
	}
	if story := v.Story("A"); !story.Complete {
		t.Error("a run before the first of all is not known to be absent")
	}
	if newest := epoch.Add(118 * time.Minute); !v.ForgotAlerts().Equal(newest) {
		t.Errorf("alerts that were not read are forgotten up to %s, want %s", v.ForgotAlerts(), newest)
	}
	if _, ok := attemptsAt(v, "R01"); ok {
		t.Error("an attempt that was not read is taken for none")
	}
	got.Add(journal.Row{Op: journal.OpIntent, RunID: "R07", Goal: "h", Seq: 121, At: epoch})
	if story := journal.Merge(got).Story("R07"); story.Complete || len(story.Rows) != 1 {
		t.Errorf("a row on top makes what is below present: %+v", story)
	}
	if _, err := got.Checkpoint(epoch); err == nil {
		t.Error("a checkpoint is made of it")
	}
	if _, _, err := got.Split(epoch); err == nil {
		t.Error("a checkpoint in parts is made of it")
	}
	twin, _ := splitUp(t, s, 300)
	for _, pair := range [][]*journal.State{{twin, s}, {s, twin}, {twin, twinOf(t, s)}} {
		if len(journal.Merge(pair...).Doubts()) != 1 {
			t.Error("two ledgers of one node, one of which was not read in full, are taken for equal")
		}
	}
	names := got.Lacks(journal.NeedRuns("R07"))
	if len(names) != 1 || len(pickParts(parts, names)) != 1 {
		t.Fatalf("one run needs %v", names)
	}
	filled(t, got, pickParts(parts, names))
	if story := journal.Merge(got).Story("R07"); !story.Complete || len(story.Rows) != 2 {
		t.Errorf("a run that was read: %+v", story)
	}
}

func twinOf(t *testing.T, s *journal.State) *journal.State {
	twin, _ := splitUp(t, s, 300)
	return twin
}

// What stands in a part is what its checkpoint says, or it is not taken up.
func TestPartsThatAreNotTakenUp(t *testing.T) {
	var all []journal.Row
	for i := range 40 {
		all = append(all, journal.Row{Op: journal.OpIntent, RunID: fmt.Sprintf("R%02d", i), Goal: "g"}, journal.Row{Op: journal.OpCap, Account: fmt.Sprintf("a%02d", i)})
	}
	s, parts := splitUp(t, rows(t, "n1", all...), 600)
	byName := map[string]string{}
	for _, p := range parts {
		byName[p.Name] = string(p.Data)
	}
	rowless := regexp.MustCompile(`"rows":\[\{.*?\}\],"clocks":\[[0-9,]*\]`)
	runs, table, late := "runs-0000", "table-000-000", "table-000-001"
	last := strings.LastIndex(byName[runs], `"R`)
	second := byName[runs][last+1 : last+4] // of its runs
	if second == "R00" || byName["runs-0001"] == "" || byName[late] == "" {
		t.Fatalf("parts too small or too few: %s", byName[runs])
	}
	for claim, p := range map[string]journal.Part{
		"a part of no name":            {Name: ""},
		"one nobody wrote":             {Name: "runs-9999", Data: []byte(`{}`)},
		"no runs":                      {Name: runs, Data: []byte(`{}`)},
		"no JSON":                      {Name: runs, Data: []byte(byName[runs][1:])},
		"more than one value":          {Name: runs, Data: []byte(byName[runs] + "{}")},
		"other runs":                   {Name: runs, Data: []byte(byName["runs-0001"])},
		"a run under another name":     {Name: runs, Data: []byte(strings.ReplaceAll(byName[runs], second, second+"x"))},
		"a run of the next bundle":     {Name: runs, Data: []byte(strings.ReplaceAll(byName[runs], second, "S00"))},
		"rows without clocks":          {Name: runs, Data: []byte(strings.Replace(byName[runs], `"clocks":[`, `"clocks":[1,`, 1))},
		"a run of no rows":             {Name: runs, Data: []byte(rowless.ReplaceAllString(byName[runs], `"rows":[],"clocks":[]`))},
		"a run of null":                {Name: runs, Data: []byte(rowless.ReplaceAllString(byName[runs], `"rows":null,"clocks":null`))},
		"a table that is none":         {Name: table, Data: []byte(`[]`)},
		"a table of nothing":           {Name: table, Data: []byte(`{}`)},
		"an older part of the table":   {Name: late, Data: []byte(byName[table])},
		"a part too large":             {Name: table, Data: []byte(byName[table] + strings.Repeat(" ", 4<<20))},
		"a row later than any":         {Name: table, Data: []byte(strings.Replace(byName[table], `"seq":2,`, `"seq":99,`, 1))},
		"a row younger than its part":  {Name: table, Data: []byte(byName[late])},
		"a row that is none":           {Name: table, Data: []byte(strings.Replace(byName[table], `"op":"CAP"`, `"op":""`, 1))},
		"windows that are none":        {Name: "windows", Data: []byte(`{"x":{}}`)},
		"a part that is cut off":       {Name: table, Data: []byte(byName[table][:len(byName[table])-1])},
		"a part with something behind": {Name: "windows", Data: []byte(byName["windows"] + " 1")},
	} {
		if string(p.Data) == byName[p.Name] && p.Name != "" {
			t.Fatalf("%s: nothing is changed", claim)
		}
		if err := s.Fill(p); !errors.Is(err, journal.ErrRow) {
			t.Errorf("%s: %v", claim, err)
		}
	}
	if err := s.Fill(parts[0], journal.Part{Name: "runs-9999"}); !errors.Is(err, journal.ErrRow) {
		t.Errorf("a good part and a bad one: %v", err)
	}
	if lacks := s.Lacks(journal.Everything); len(lacks) != len(parts) {
		t.Errorf("of parts that were refused, %d of %d are wanted", len(lacks), len(parts))
	}
	filled(t, s, parts[:1])
	if err := s.Fill(parts[0]); !errors.Is(err, journal.ErrRow) {
		t.Errorf("a part that was read already: %v", err)
	}
	double := `{"a00":` + byName[late][strings.Index(byName[late], `:`)+1:]
	if err := s.Fill(journal.Part{Name: late, Data: []byte(double)}); parts[0].Name != table || !errors.Is(err, journal.ErrRow) {
		t.Errorf("a key in two parts, the first %s: %v", parts[0].Name, err)
	}
	filled(t, s, parts[1:])
	if err := s.Fill(parts[0]); err == nil {
		t.Error("a state that lacks nothing takes up a part")
	}
}

func TestHeadsThatAreNotTakenUp(t *testing.T) {
	s := rows(t, "n1", journal.Row{Op: journal.OpIntent, RunID: "R1", Goal: "g"}, journal.Row{Op: journal.OpIntent, RunID: "R2", Goal: "g"}, journal.Row{Op: journal.OpCap, Account: "a"})
	data, _, err := s.SplitSmall(epoch, 1)
	if err != nil {
		t.Fatal(err)
	}
	head := string(data)
	if _, err := journal.Restore("n1", data); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		claim, old, new string
		want            error
	}{
		{"a later version", `"v":2`, `"v":3`, journal.ErrNewer},
		{"an earlier version", `"v":2`, `"v":1`, journal.ErrRow},
		{"a row", `"op":"CHECKPOINT"`, `"op":"HALT"`, journal.ErrNoState},
		{"another node's", `"node":"n1"`, `"node":"n2"`, journal.ErrRow},
		{"bundles out of order", `"first":"R2"`, `"first":"R1"`, journal.ErrRow},
		{"a bundle without marks", `"first":"R2","marks":"`, `"first":"R2","marks":"","old":"`, journal.ErrRow},
		{"a bundle with half a mark", `"first":"R2","marks":"`, `"first":"R2","marks":"x`, journal.ErrRow},
		{"what is no time", `"parts":["`, `"parts":["x`, journal.ErrRow},
		{"more parts than there may be", `"parts":[`, `"parts":[` + strings.Repeat(`"2026-11-29T12:00:00Z",`, 4100), journal.ErrRow},
		{"a key twice", `"clock":`, `"seq":1,"clock":`, journal.ErrRow},
		{"rows past all bounds", `"seq":3`, `"seq":99999999999999999`, journal.ErrRow},
	} {
		if !strings.Contains(head, c.old) {
			t.Fatalf("%s: %s is not in %s", c.claim, c.old, head)
		}
		if _, err := journal.Restore("n1", []byte(strings.Replace(head, c.old, c.new, 1))); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.claim, err, c.want)
		}
	}
}

func TestRowsPastWhatIsKeptLeaveNoRoomForParts(t *testing.T) {
	s, parts := splitUp(t, rows(t, "n1", journal.Row{Op: journal.OpIntent, RunID: "R", Goal: "g"}), 1)
	long := strings.Repeat("x", 16<<10)
	for i := range journal.MaxLater/len(long) + 2 {
		s.Add(journal.Row{Op: journal.OpVerdict, Seq: uint64(i + 2), At: epoch, Detail: long})
	}
	if err := s.Fill(parts...); err == nil {
		t.Error("parts are taken up without the rows on top of them")
	}
	if _, err := s.Checkpoint(epoch); err == nil || journal.Merge(s).Story("R").Complete {
		t.Error("the state is taken to be whole")
	}
}

// What is folded again leaves the part as it was read.
func TestWhatIsFoldedTwiceIsThere(t *testing.T) {
	seen := func(names ...string) map[string]uint64 {
		all := map[string]uint64{}
		for _, n := range names {
			all[n] = 1
		}
		return all
	}
	s, parts := splitUp(t, rows(t, "n1", journal.Row{Op: journal.OpAck, ID: "i", Seen: seen("a", "c", "e")}, journal.Row{Op: journal.OpAck, ID: "j", Seen: seen("x")}), 1)
	s.Add(journal.Row{Op: journal.OpAck, ID: "i", Seen: seen("b"), Seq: 3, At: epoch})
	for _, p := range parts {
		filled(t, s, []journal.Part{p})
	}
	if acks := fmt.Sprint(journal.Merge(s).Acks()["i"]); acks != "map[a:1 b:1 c:1 e:1]" {
		t.Error(acks)
	}
}

// The head is small enough to stand in a message, and of two checkpoints of a
// ledger that goes on what is old is one object.
func TestOldPartsStayAsTheyAre(t *testing.T) {
	all := day(11_000)
	s := journal.New("n1")
	at := func(n int) (head []byte, parts map[string]int) {
		for _, r := range all[s.Seq():n] {
			s.Add(r)
		}
		head, list, err := s.Split(epoch)
		if err != nil {
			t.Fatal(err)
		}
		parts = map[string]int{}
		for _, p := range list {
			parts[string(p.Data)] = len(p.Data)
		}
		return head, parts
	}
	head, before := at(10_000)
	_, after := at(11_000)
	if len(head) > 8<<10 {
		t.Errorf("a head of %d bytes", len(head))
	}
	size, fresh := 0, 0
	for data, n := range after {
		if size += n; before[data] == 0 {
			fresh += n
		}
	}
	if fresh > size/2 {
		t.Errorf("after a tenth more rows %d of %d bytes are new", fresh, size)
	}
	if head, parts, err := rows(t, "n1", all[:20]...).Split(epoch); err != nil || len(parts) > 0 || !strings.HasPrefix(string(head), `{"v":1,`) {
		t.Errorf("a small state has %d parts, %v", len(parts), err)
	}
}

// Parts that are padded are read until together they are more than a checkpoint
// may have.
func TestAllPartsOfAStateTogetherAreBounded(t *testing.T) {
	s := journal.New("n1")
	for n := range 40 {
		s.Add(journal.Row{Op: journal.OpCap, Seq: uint64(n + 1), At: epoch.Add(time.Duration(n) * time.Hour), Account: fmt.Sprint(n)})
	}
	got, parts := splitUp(t, s, 1)
	read := 0
	for _, p := range parts {
		p.Data = append(p.Data, bytes.Repeat([]byte(" "), 1<<20)...)
		if err := got.Fill(p); errors.Is(err, journal.ErrRow) && strings.Contains(err.Error(), p.Name) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		read++
	}
	if read != 15 || len(parts) < 20 {
		t.Errorf("%d of %d parts were read", read, len(parts))
	}
	if err := got.Fill(parts[read]); err != nil {
		t.Errorf("a part that was refused counts: %v", err)
	}
}
