package liveness

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var (
	mine   = Key{"L1", "docs"}
	others = Key{"L2", "docs"}
)

// entry is one of mine, so long after a start an hour ago.
func entry(op string, after int64) Entry {
	return Entry{Op: op, Key: mine, AtMS: ptr(int64(now - hour + after))}
}

func fold(entries ...Entry) Folded { return Fold(slices.Values(entries), &mine, now-hour, now) }

func TestFold(t *testing.T) {
	birth := entry("ACQUIRE", -5*minute)
	for _, c := range []struct {
		claim  string
		got    Folded
		events int64
		beat   int64 // -1: none
	}{
		{"nothing is known of an empty journal", fold(), 0, -1},
		{"taking the lane is a beat and no event", fold(birth), 0, 65 * minute},
		{"however late", fold(entry("ACQUIRE", minute)), 0, 59 * minute},
		{"taking it again is both", fold(birth, entry("ACQUIRE", minute)), 1, 59 * minute},
		{"giving it back is an event and no beat", fold(birth, entry("RELEASE", minute)), 1, 65 * minute},
		{"without having taken it too", fold(entry("RELEASE", minute)), 1, -1},
		{"a beat is no event", fold(birth, entry("HEARTBEAT", minute)), 0, 59 * minute},
		{"the newest beat counts, not the last", fold(entry("HEARTBEAT", 9*minute), entry("HEARTBEAT", minute)), 0, 51 * minute},
		{"events before the run are not its own", fold(birth, entry("RELEASE", -minute), entry("ACQUIRE", -1)), 0, hour + 1},
		{"nor those of the second in which it started", fold(birth, entry("RELEASE", 999)), 0, 65 * minute},
		{"those of the next are", fold(birth, entry("RELEASE", 1000)), 1, 65 * minute},
		{"a second ahead of now is now", fold(birth, entry("ACQUIRE", hour+1000)), 1, 0},
		{"a millisecond more does not count", fold(birth, entry("ACQUIRE", hour+1001)), 0, 65 * minute},
		{"an entry without a time does not count", fold(Entry{Op: "ACQUIRE", Key: mine}, entry("ACQUIRE", minute)), 0, 59 * minute},
		{"refusals, halts, attempts and launches are neither", fold(entry("REFUSE", minute), entry("HALT", minute), entry("ATTEMPT", minute), entry("SPAWN", minute), entry("ENFORCE", minute)), 0, -1},
		{"nobody knows what a new word means", fold(entry("acquire", minute), entry("FROBNICATE", minute)), 0, -1},
		{"others on the lane do not count", fold(birth, Entry{Op: "RELEASE", Key: others, AtMS: ptr(int64(now))}), 0, 65 * minute},
		{"nor the same holder on another lane", fold(Entry{Op: "HEARTBEAT", Key: Key{"L1", "src"}, AtMS: ptr(int64(now))}), 0, -1},
		{"nobody in particular has done nothing", Fold(slices.Values([]Entry{{Op: "HEARTBEAT", AtMS: ptr(int64(now))}}), &Key{}, 0, now), 0, -1},
		{"nor has nobody", Fold(slices.Values([]Entry{birth}), nil, 0, now), 0, -1},
	} {
		beat := int64(-1)
		if c.got.BeatAgeMS != nil {
			beat = *c.got.BeatAgeMS
		}
		if c.got.Events != c.events || beat != c.beat || c.got.Corrupt {
			t.Errorf("%s: %d events, beat %d, corrupt %v; want %d, %d", c.claim, c.got.Events, beat, c.got.Corrupt, c.events, c.beat)
		}
	}
	if f := Fold(slices.Values([]Entry{{Op: "RELEASE", Key: mine, AtMS: ptr(int64(0))}}), &mine, -500, 0); f.Events != 1 {
		t.Errorf("seconds before 1970 are as long as others: %+v", f)
	}
	if f := Fold(slices.Values([]Entry{{Op: "_CORRUPT"}}), nil, 0, now); !f.Corrupt {
		t.Error("an entry that could not be read is not told")
	}
}

func TestFoldTellsWhen(t *testing.T) {
	f := fold(entry("ACQUIRE", 0), entry("RELEASE", minute), entry("ACQUIRE", 9*minute), entry("RELEASE", 5*minute))
	if f.EventAgeMS == nil || *f.EventAgeMS != 51*minute || f.SkewedMS != nil {
		t.Errorf("%+v", f)
	}
	f = fold(entry("ACQUIRE", 0), entry("HEARTBEAT", 2*hour), entry("RELEASE", 3*hour), entry("HEARTBEAT", 2*hour))
	if f.SkewedMS == nil || *f.SkewedMS != now+2*hour || f.EventAgeMS != nil || *f.BeatAgeMS != hour {
		t.Errorf("%+v", f)
	}
}

func TestStamp(t *testing.T) {
	for _, c := range []struct {
		claim, ts, beat string
		want            int64 // -1: none
	}{
		{"the entry's own time", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", now},
		{"else that of its beat", "", "2026-01-01T00:00:00Z", now},
		{"which is not asked when the own cannot be read", "garbage", "2026-01-01T00:00:00Z", -1},
		{"minutes are enough", "2026-01-01T00:00Z", "", now},
		{"parts of a second count", "2026-01-01T00:00:00.25Z", "", now + 250},
		{"and zones", "2026-01-01T01:00:00+01:00", "", now},
		{"no zone is no time", "2026-01-01T00:00:00", "", -1},
		{"nor is a number", "1767225600", "", -1},
		{"nor nothing", "", "", -1},
		{"nor a day that never was", "2026-02-30T00:00:00Z", "", -1},
	} {
		got := int64(-1)
		if ms := Stamp(c.ts, c.beat); ms != nil {
			got = *ms
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.claim, got, c.want)
		}
	}
}

// checkpoint stands for entries: it carries the lease of whoever has taken
// the lane and not given it back, with its newest beat.
func checkpoint(entries []Entry) Entry {
	held := map[Key]*int64{}
	for _, e := range entries {
		switch e.Op {
		case "ACQUIRE":
			held[e.Key] = e.AtMS
		case "HEARTBEAT":
			if last, ok := held[e.Key]; ok && *e.AtMS > *last {
				held[e.Key] = e.AtMS
			}
		case "RELEASE":
			delete(held, e.Key)
		}
	}
	c := Entry{Op: "CHECKPOINT"}
	for key, beat := range held {
		c.Leases = append(c.Leases, Held{key, beat})
	}
	return c
}

// A journal that was compacted says of a holder that had the lane what the
// whole one says of its beats, and of what happened since.
func TestFoldAfterCompaction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries, at := []Entry{entry("ACQUIRE", 0)}, int64(0)
		for range rapid.IntRange(0, 12).Draw(t, "length") {
			at += rapid.Int64Range(1, 4*minute).Draw(t, "pause")
			e := entry(rapid.SampledFrom([]string{"HEARTBEAT", "ACQUIRE", "REFUSE"}).Draw(t, "op"), at)
			if rapid.Bool().Draw(t, "others") {
				e.Key = others
			}
			entries = append(entries, e)
		}
		cut := rapid.IntRange(1, len(entries)).Draw(t, "cut")
		compacted := slices.Concat([]Entry{checkpoint(entries[:cut])}, entries[cut:])
		whole, before, got := fold(entries...), fold(entries[:cut]...), fold(compacted...)
		if *got.BeatAgeMS != *whole.BeatAgeMS || got.Events != whole.Events-before.Events {
			t.Fatalf("after compaction %d events, beat %d; want %d, %d", got.Events, *got.BeatAgeMS, whole.Events-before.Events, *whole.BeatAgeMS)
		}
	})
}

// What others do, or nobody understands, changes nothing wherever it stands,
// and beats may come in any order.
func TestFoldLooksAtOneHolder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := rapid.Custom(func(t *rapid.T) Entry {
			return entry(rapid.SampledFrom([]string{"ACQUIRE", "RELEASE", "HEARTBEAT", "ADOPT", "SCAVENGE"}).Draw(t, "op"), rapid.Int64Range(-hour, 2*hour).Draw(t, "at"))
		})
		entries := rapid.SliceOf(any).Draw(t, "entries")
		want := fold(entries...)
		noise := any.Draw(t, "noise")
		noise.Key = others
		at := rapid.IntRange(0, len(entries)).Draw(t, "place")
		if got := fold(slices.Insert(slices.Clone(entries), at, noise)...); !same(got, want) {
			t.Fatalf("with another holder's entry %+v, want %+v", got, want)
		}
		beats := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Op != "HEARTBEAT" })
		if got, want := fold(rapid.Permutation(beats).Draw(t, "order")...), fold(beats...); !same(got, want) {
			t.Fatalf("in another order %+v, want %+v", got, want)
		}
	})
}

func same(a, b Folded) bool {
	equal := func(p, q *int64) bool { return known(p) == known(q) && (p == nil) == (q == nil) }
	return a.Events == b.Events && a.Corrupt == b.Corrupt && equal(a.BeatAgeMS, b.BeatAgeMS) && equal(a.EventAgeMS, b.EventAgeMS) && equal(a.SkewedMS, b.SkewedMS)
}
