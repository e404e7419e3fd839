package gitdos_test

import (
	"encoding/json"
	"time"

	"github.com/git-dos/git-dos/kernel/oldjournal"
)

type oldRows struct{ Entries []oldjournal.Entry }

func journalReplay(in oldRows) any {
	f := oldjournal.Replay(in.Entries)
	return map[string]any{"live": f.Live(), "next_seq": f.NextSeq()}
}

func leaseGenerations(in oldRows) any {
	return map[string]any{"generations": oldjournal.Replay(in.Entries).Generations()}
}

// journalCompact replays the checkpoint, not the rows it stands for.
func journalCompact(in oldRows) any {
	checkpoint := oldjournal.Replay(in.Entries).Compact()
	return map[string]any{"live_after_compaction": oldjournal.Replay([]oldjournal.Entry{checkpoint}).Live(), "seq_watermark": checkpoint["seq_watermark"]}
}

func journalText(in struct{ Text string }) any {
	entries, corrupt, err := oldjournal.Parse([]byte(in.Text))
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"live": oldjournal.Replay(entries).Live(), "entries": len(entries), "corrupt": corrupt}
}

func leaseDead(in struct {
	Lease    oldjournal.Lease
	Now      time.Time
	ThisHost string `json:"this_host"`
	Alive    *bool  `json:"local_pid_alive"`
}) any {
	return map[string]any{"dead": in.Lease.Dead(in.Now, in.ThisHost, in.Alive)}
}

func leaseHealth(in struct {
	Lease    oldjournal.Lease
	Now      time.Time
	Activity string        `json:"activity_state"`
	TTL      time.Duration `json:"ttl_minutes"`
	Stall    time.Duration `json:"stall_threshold_minutes"`
}) any {
	return map[string]any{"verdict": in.Lease.Health(in.Now, in.Activity, in.TTL*time.Minute, in.Stall*time.Minute)}
}

func leaseLiveness(in struct {
	oldRows
	Key     [2]string     `json:"lease_key"`
	Started int64         `json:"run_started_ms"`
	Now     int64         `json:"now_ms"`
	Commits int           `json:"commits_since_start"`
	Alive   *bool         `json:"process_alive"`
	Grace   time.Duration `json:"grace_ms"`
	Spin    time.Duration `json:"spin_ms"`
}) any {
	started, now := time.UnixMilli(in.Started), time.UnixMilli(in.Now)
	life := oldjournal.LifeOf(in.Entries, in.Key[0], in.Key[1], started, now)
	var age json.RawMessage
	if life.BeatAge != nil {
		age, _ = json.Marshal(life.BeatAge.Milliseconds())
	}
	return map[string]any{
		"verdict":                 life.Moves(in.Commits, in.Alive, now.Sub(started), in.Grace*time.Millisecond, in.Spin*time.Millisecond),
		"events_since_start":      life.Events,
		"newest_heartbeat_age_ms": age,
	}
}
