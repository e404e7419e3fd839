package policy

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// A sample is a legal value of a key, not its default, and the TOML types the
// key accepts. Aliases of a value show it in their own unit.
type sample struct{ value, accepts string }

const listOnly, stringOnly, intOnly, boolOnly = "list", "string", "int", "bool"

var samples = map[string]sample{
	"workspace":                             {`"sub"`, stringOnly},
	"trunk.ref":                             {`"refs/heads/main"`, stringOnly},
	"lanes.concurrent":                      {`["a", "B"]`, listOnly},
	"lanes.exclusive":                       {`["release"]`, listOnly},
	"lanes.autopick":                        {`["b", "a"]`, listOnly},
	"lanes.trees.NAME":                      {`["src/**", "go.mod"]`, listOnly},
	"lanes.aliases.NAME":                    {`"docs"`, stringOnly},
	"overlap.policy":                        {`"glob"`, stringOnly},
	"overlap.ratio_max":                     {`0.25`, "int float"},
	"concurrency_class[].name":              {`"build"`, stringOnly},
	"concurrency_class[].max_concurrent":    {`2`, intOnly},
	"admission.self_modify":                 {`["kernel/**"]`, listOnly},
	"lease.ttl":                             {`"20m"`, "int string"},
	"lease.margin":                          {`"40s"`, "int string"},
	"lease.max_clock_skew":                  {`"2h"`, "int string"},
	"fleet.id":                              {`"f.1_a-B"`, stringOnly},
	"fleet.prefix":                          {`"refs/heads/dos"`, stringOnly},
	"fleet.lanes":                           {`["docs"]`, "string list"},
	"fleet.interval":                        {`"90s"`, "int string"},
	"fleet.keep":                            {`"1d"`, "int string"},
	"plans.NAME":                            {`"docs"`, stringOnly},
	"paths.plans_glob":                      {`"plans/*.md"`, stringOnly},
	"paths.next_packets":                    {`"out/next"`, stringOnly},
	"paths.runs":                            {`"out/runs"`, stringOnly},
	"paths.root":                            {`"sub"`, stringOnly},
	"stamp.style":                           {`"grep"`, stringOnly},
	"stamp.subject_dirs":                    {`["docs"]`, listOnly},
	"stamp.trailer_stamp":                   {`true`, boolOnly},
	"stamp.summary_bundle_prefixes":         {`["docs/HYG:"]`, listOnly},
	"stamp.bookkeeping_prefixes":            {`["ops:"]`, listOnly},
	"stamp.progress_markers":                {`["partial"]`, listOnly},
	"stamp.sub_phase_parent_fallback":       {`true`, boolOnly},
	"stamp.code_dirs":                       {`["src"]`, listOnly},
	"stamp.infra_basenames":                 {`["main.go"]`, listOnly},
	"stamp.infra_doc_basenames":             {`["README.md"]`, listOnly},
	"verify.floor":                          {`"trailer"`, stringOnly},
	"verify.allowed_signers":                {`"keys/allowed"`, stringOnly},
	"ship.release_paths":                    {`["VERSION"]`, listOnly},
	"ship.ledger_paths":                     {`["state.yaml"]`, listOnly},
	"ship.plan_paths":                       {`["plans/**"]`, listOnly},
	"cooldown.window":                       {`"2h"`, "int string"},
	"cooldown.window_ms":                    {`1500`, intOnly},
	"cooldown.window_hours":                 {`0.5`, "int float"},
	"cooldown.error_window":                 {`"5m"`, "int string"},
	"cooldown.error_window_ms":              {`2500`, intOnly},
	"cooldown.error_window_minutes":         {`1.5`, "int float"},
	"liveness.grace":                        {`"10m"`, "int string"},
	"liveness.spin":                         {`"11m"`, "int string"},
	"liveness.progress_window":              {`"12m"`, "int string"},
	"heartbeats.NAME":                       {`"5m"`, "int string"},
	"loop.gate":                             {`"drive"`, stringOnly},
	"loop.max_iterations":                   {`11`, intOnly},
	"loop.max_unclear":                      {`12`, intOnly},
	"loop.max_dirty_zero":                   {`13`, intOnly},
	"loop.max_overloaded":                   {`14`, intOnly},
	"loop.max_stale_stamp":                  {`15`, intOnly},
	"loop.max_unproductive_replan":          {`16`, intOnly},
	"loop.max_unproductive_replan_drains":   {`17`, intOnly},
	"loop.max_adopt_wait":                   {`18`, intOnly},
	"improve.max_consecutive_reverts":       {`4`, intOnly},
	"improve.efficiency_floor":              {`0.5`, "int float"},
	"improve.min_tokens_for_efficiency":     {`2000`, intOnly},
	"supervise.target":                      {`3`, intOnly},
	"supervise.count_spinning_as_alive":     {`false`, boolOnly},
	"supervise.reap_stalled":                {`false`, boolOnly},
	"supervise.spin_halt_after_ms":          {`2500`, "int float"},
	"supervise.spin_halt_after_minutes":     {`2.5`, "int float"},
	"supervise.max_concurrency":             {`4`, intOnly},
	"supervise.interval":                    {`"6m"`, "int string"},
	"supervise.pending_window":              {`"3m"`, "int string"},
	"supervise.worker_launch_template":      {`"go {lane}"`, stringOnly},
	"worker.command":                        {`["agent", "{unit}", ""]`, listOnly},
	"worker.prompt":                         {`"prompt.md"`, stringOnly},
	"worker.env_pass":                       {`["GOPATH"]`, listOnly},
	"worker.timeout":                        {`"1h"`, "int string"},
	"worker.grace":                          {`"21s"`, "int string"},
	"worker.worktree":                       {`true`, boolOnly},
	"worker.exit.rate_limited":              {`[75]`, listOnly},
	"worker.exit.overloaded":                {`[76, 255]`, listOnly},
	"super.max_workers":                     {`9`, intOnly},
	"super.hold":                            {`["ci/**"]`, listOnly},
	"super.settle":                          {`"3s"`, "int string"},
	"super.rung_step":                       {`2`, intOnly},
	"super.target_rate":                     {`12.5`, "int float"},
	"account[].name":                        {`"me@example.org"`, stringOnly},
	"account[].tier":                        {`2`, intOnly},
	"account[].session_cap":                 {`3`, intOnly},
	"account[].env.NAME":                    {`"a\u000Ab"`, stringOnly},
	"account[].probe":                       {`["probe"]`, listOnly},
	"account[].kind":                        {`"excluded"`, stringOnly},
	"gates.lease_fence.mode":                {`"warn"`, stringOnly},
	"gates.scope_escape.mode":               {`"warn"`, stringOnly},
	"gates.claim_unwitnessed.mode":          {`"block"`, stringOnly},
	"gates.trunk_would_not_compile.mode":    {`"warn"`, stringOnly},
	"gates.ungated.mode":                    {`"off"`, stringOnly},
	"gates.secret_shape.mode":               {`"off"`, stringOnly},
	"gates.public_leak.mode":                {`"off"`, stringOnly},
	"gates.file_admission.mode":             {`"off"`, stringOnly},
	"gates.fresh_deletion.mode":             {`"off"`, stringOnly},
	"gates.broken_link.mode":                {`"off"`, stringOnly},
	"gates.commit_msg.mode":                 {`"off"`, stringOnly},
	"gates.off_trunk.mode":                  {`"block"`, stringOnly},
	"gates.trunk_would_not_compile.command": {`["go", "build", "./..."]`, listOnly},
	"gates.trunk_would_not_compile.timeout": {`"11m"`, "int string"},
	"gates.file_admission.max_bytes":        {`1048576`, intOnly},
	"gates.secret_shape.allow":              {`["testdata/**"]`, listOnly},
	"clean.scratch":                         {`["*.tmp"]`, listOnly},
	"archive.subject":                       {`"run {run_id} {lane}"`, stringOnly},
	"retention.journal_max_entries":         {`100`, "int"},
	"retention.journal_max_age_days":        {`7`, "int"},
	"retention.runs_keep_last":              {`-1`, "int"},
	"queue.max_steps":                       {`5`, intOnly},
}

// companions are lines a key needs beside it.
var companions = map[string]string{
	"concurrency_class[].name":           "concurrency_class[].max_concurrent = 1",
	"concurrency_class[].max_concurrent": "concurrency_class[].name = \"n\"",
	"gates.trunk_would_not_compile.mode": "gates.trunk_would_not_compile.command = [\"make\"]",
}

// document spells a key of the schema and its companion as a file.
func document(path, value string) string {
	var b strings.Builder
	for _, line := range []string{path + " = " + value, companions[path]} {
		b.WriteString(strings.ReplaceAll(line, "NAME", "docs") + "\n")
	}
	file := b.String()
	if table, _, list := strings.Cut(path, "[]."); list {
		file = "[[" + table + "]]\n" + strings.ReplaceAll(file, table+"[].", "")
		if table == "account" && path != "account[].name" {
			file += "name = \"n\"\n"
		}
	}
	return strings.ReplaceAll(file, "env.docs", "env.DOCS")
}

func TestEveryKeyTakesALegalValueIntoItsField(t *testing.T) {
	fresh := Default()
	fresh.ConcurrencyClasses = []ConcurrencyClass{{}}
	fresh.Accounts = []Account{defaultAccount()}
	for _, k := range allKeys() {
		t.Run(k.path, func(t *testing.T) {
			s, ok := samples[k.path]
			if !ok {
				t.Fatal("no sample for this key")
			}
			p := mustParse(t, document(k.path, s.value))
			name := "docs"
			if strings.Contains(k.path, ".env.") {
				name = "DOCS"
			}
			if got := k.show(&p, name); got != s.value {
				t.Errorf("value read back is %s, want %s", got, s.value)
			}
			if got := k.show(&fresh, name); got == s.value && k.path != "stamp.style" {
				t.Errorf("the sample %s is the default, it proves nothing", got)
			}
			key := strings.NewReplacer("[]", "[0]", "NAME", name).Replace(k.path)
			if !p.Stated(key) {
				t.Errorf("Stated(%q) is false", key)
			}
			if fresh.Stated(key) {
				t.Errorf("Stated(%q) is true for the default policy", key)
			}
		})
	}
	if len(samples) != len(allKeys()) {
		t.Errorf("%d samples for %d keys", len(samples), len(allKeys()))
	}
}

func TestEveryKeyRefusesEveryOtherType(t *testing.T) {
	wrong := map[string]string{
		"string": `""`, "int": `-7`, "float": `-7.5`, "bool": `true`, "list": `[[]]`,
		"table": `{ zebra = 1 }`, "date": `2026-01-02`,
	}
	for _, k := range allKeys() {
		accepts := samples[k.path].accepts
		for typ, value := range wrong {
			if strings.Contains(accepts, typ) {
				continue
			}
			t.Run(k.path+" "+typ, func(t *testing.T) {
				got := problems(t, document(k.path, value))
				key := strings.NewReplacer("[]", "[0]", "env.NAME", "env.DOCS", "NAME", "docs").Replace(k.path)
				if len(got) != 1 || !strings.Contains(got[0], ": "+key+" must be ") || !strings.Contains(got[0], ", not a") {
					t.Errorf("%s = %s: got %q", k.path, value, got)
				}
			})
		}
	}
}

func TestListsRefuseEntriesOfAnotherType(t *testing.T) {
	for _, k := range allKeys() {
		if !strings.Contains(samples[k.path].accepts, "list") {
			continue
		}
		t.Run(k.path, func(t *testing.T) {
			for _, entry := range []string{"1.5", "true", "[]", "{}"} {
				got := problems(t, document(k.path, "["+entry+"]"))
				if len(got) != 1 || !strings.Contains(got[0], " entry 1 must be a") {
					t.Errorf("[%s]: got %q", entry, got)
				}
			}
		})
	}
}

func TestKeysNamesEveryKeyOnceWithTypeAndDoc(t *testing.T) {
	seen := map[string]KeyDoc{}
	for _, d := range Keys() {
		if _, twice := seen[d.Key]; twice || d.Type == "" || d.Doc == "" {
			t.Errorf("bad entry %+v", d)
		}
		if strings.ToUpper(d.Doc[:1]) == d.Doc[:1] || strings.HasSuffix(d.Doc, ".") {
			t.Errorf("%s: doc is not a phrase: %q", d.Key, d.Doc)
		}
		seen[d.Key] = d
	}
	tests := map[string][2]string{
		"lease.ttl":                          {"duration", `"15m"`},
		"lease.margin":                       {"duration", `"90s"`},
		"fleet.keep":                         {"duration", "0"},
		"fleet.lanes":                        {`"exclusive" or "all" or [lane]`, `"exclusive"`},
		"verify.floor":                       {`"ledger" or "signed" or "trailer" or "subject-in-tree" or "subject" or "mention"`, ""},
		"overlap.ratio_max":                  {"number", "0"},
		"lanes.trees.NAME":                   {"[glob]", ""},
		"concurrency_class[].max_concurrent": {"int", ""},
		"account[].tier":                     {"int", "1"},
		"clean.scratch":                      {"[glob]", `["tmp/**", "*.err", "**/_*", ".dos/**"]`},
		"cooldown.window_ms":                 {"int", "21600000"},
		"supervise.spin_halt_after_ms":       {"number", ""},
		"gates.off_trunk.mode":               {`"block" or "warn" or "off"`, `"off"`},
	}
	for key, want := range tests {
		if d := seen[key]; d.Type != want[0] || d.Default != want[1] {
			t.Errorf("%s: type %s default %s, want %s and %s", key, d.Type, d.Default, want[0], want[1])
		}
	}
}

// TestDefaultsStateThemselves writes every default as a file and expects the
// default policy back.
func TestDefaultsStateThemselves(t *testing.T) {
	var b strings.Builder
	for _, d := range Keys() {
		if d.Default != "" && !strings.Contains(d.Key, "[]") && !strings.Contains(d.Key, "_ms") &&
			!strings.HasSuffix(d.Key, "window_hours") && !strings.HasSuffix(d.Key, "window_minutes") {
			fmt.Fprintf(&b, "%s = %s\n", d.Key, d.Default)
		}
	}
	b.WriteString("lanes.trees = { main = [\"**/*\"], global = [\"**/*\"] }\n")
	got, want := mustParse(t, b.String()), Default()
	got.lines = nil
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDefaultIsACopyEachTime(t *testing.T) {
	p := Default()
	p.Gates.Modes["lease_fence"] = GateOff
	p.Lanes.Trees["main"][0] = "x"
	p.Super.Hold[0] = "x"
	if q := Default(); q.Gates.Mode("lease_fence") != GateBlock || q.Lanes.Trees["main"][0] != "**/*" || q.Super.Hold[0] != "dos.toml" {
		t.Error("changing one default policy changed the next")
	}
}

func TestOlderKernelFileLoadsWithItsKeysNamed(t *testing.T) {
	data, err := os.ReadFile("testdata/older-kernel.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []Ignored{
		{"paths.execution_state", 31}, {"paths.soaks_index", 32}, {"paths.lane_journal", 33}, {"paths.audits", 34},
		{"paths.verdict_journal", 35}, {"paths.archive_lock", 36},
		{"verify.non_git_oracle", 39}, {"verify.exec_cmd", 40}, {"verify.prefer_artifact_rung", 41},
		{"retention.audits_keep_last", 46}, {"retention.verdicts_keep_last", 47},
		{"plan", 49}, {"reasons.LANE_SOAK", 52}, {`reasons."odd one"`, 56}, {"data_class", 59}, {"env", 62}, {"enumerate", 65},
	}
	if !reflect.DeepEqual(p.Ignored, want) {
		t.Errorf("ignored\n got %v\nwant %v", p.Ignored, want)
	}
	if got, want := p.Roster(), []string{"Kernel", "docs", "global"}; !reflect.DeepEqual(got, want) {
		t.Errorf("roster %v, want %v", got, want)
	}
	if p.Retention.JournalMaxEntries != -1 || p.Retention.RunsKeepLast != -1 || p.Supervise.MaxConcurrency != 3 {
		t.Errorf("retention %+v supervise %+v", p.Retention, p.Supervise)
	}
}
