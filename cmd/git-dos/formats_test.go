package main

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/hookset"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/internal/mcpserver"
	"github.com/git-dos/git-dos/internal/setup"
	"github.com/git-dos/git-dos/kernel/agent"
	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/kernel/breaker"
	"github.com/git-dos/git-dos/kernel/guard"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/leak"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/productivity"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/kernel/super"
)

// docs/formats.md tells every key of what is stored and of what is answered.
func TestFormatsDocumentHasEveryKey(t *testing.T) {
	data, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	keys := map[string]bool{}
	for _, v := range []any{
		lease.Record{}, lease.Order{}, lease.Delegation{}, lease.Want{}, journal.Row{}, admit.Meta{}, admit.Held{},
		lease.Verdict{}, unreadLease{}, arbitration{}, lease.PushVerdict{}, shipAnswer{}, planAnswer{}, logLine{}, runid.Record{}, decoded{}, exitCodeTable{}, versions{}, performance{}, fleetShow{},
		setup.Report{}, setup.Examination{}, scope.Verdict{}, scope.CleanVerdict{}, scope.CommitVerdict{}, audit.Finding{}, audit.Sweep{},
		journalState{}, journalPlace{}, journalCompacted{}, journalReported{}, gcAnswer{}, importAnswer{}, loopAnswer{}, preflightAnswer{}, marker.Marker{}, workerAnswer{}, dispatchAnswer{}, runRecord{},
		reclaimAnswer{},
		dispatchLoopAnswer{}, loop.Carried{},
		superviseTick{}, superviseAnswer{},
		beatAnswer{}, pulseAnswer{}, decisionsAnswer{}, decisionAnswer{}, decisionsEnvelope{}, observeAnswer{}, logEntry{}, topAnswer{}, boardAnswer{},
		superGateAnswer{}, superTickAnswer{}, superStatusAnswer{}, superReportAnswer{}, superWordAnswer{}, superCounts{}, super.Installation{},
		wavePlanAnswer{}, waveLaunchAnswer{}, waveStatusAnswer{}, waveHarvestAnswer{},
		superGateAnswer{}, superStatusAnswer{}, superReportAnswer{}, superWordAnswer{}, superCounts{}, super.Installation{},
		loop.Verdict{}, loop.Policy{}, leak.Verdict{}, improveAnswer{}, breaker.Verdict{}, productivity.Verdict{},
		closesAnswer{}, mergeGateAnswer{}, reconcileAnswer{}, lane.PriceVerdict{}, lintAnswer{}, syncAnswer{},
		intentAnswer{}, claimAnswer{}, stepAnswer{}, resumeAnswer{}, completeAnswer{}, statusAnswer{}, livenessAnswer{}, haltAnswer{}, resume.Row{},
		queue.Entry{}, queueListAnswer{}, queuePageAnswer{}, queueAnswer{}, queueImportAnswer{},
		gateAnswer{}, nextUpAnswer{}, packet.Prompt{}, replanAnswer{}, pickableAnswer{}, cooldownAnswer{}, priorityAnswer{}, attemptAnswer{}, accountsAnswer{}, accountCapAnswer{},
		receiveAnswer{}, receiptAnswer{},
		manPrinted{}, manChange{}, configAnswer{}, completionScript{}, completionAnswer{},
		guard.Verdict{}, guardRequest{},
		hookVerdict{}, auditAnswer{},
		hookset.Look{}, hookset.Installation{}, hookset.Removal{},
		hookVerdict{},
		mcpserver.Answer{}, agent.Verdict{}, agentTold{}, agentCursor{}, agentCopilot{}, agentFiles{},
	} {
		collectKeys(reflect.TypeOf(v), keys)
	}
	if len(keys) < 60 {
		t.Errorf("%d keys seen: the test looks in the wrong place", len(keys))
	}
	for key := range keys {
		if !strings.Contains(text, "`"+key+"`") && !strings.Contains(text, `"`+key+`":`) {
			t.Errorf("docs/formats.md has no key %s", key)
		}
	}
	for _, op := range []string{
		lease.OpAcquire, lease.OpHeartbeat, lease.OpShip, lease.OpRelease, lease.OpScavenge, lease.OpVoid, lease.OpReady, lease.OpPark, lease.OpUnpark, lease.OpDelegate, lease.OpReturn, lease.OpTaking, lease.OpPushing,
		lease.OpAsking, lease.OpLive, lease.OpGrant, lease.OpReturning, lease.OpGone, lease.OpGranted, lease.OpEnded, journal.OpRefuse, journal.OpOverride,
		queue.OpAdd, queue.OpImport, queue.OpHold, queue.OpRelease, queue.OpClose, queue.OpAll,
	} {
		if !strings.Contains(text, "`"+op+"`") {
			t.Errorf("docs/formats.md has no op %s", op)
		}
	}
}

// collectKeys finds the JSON keys of a struct and of those inside it.
func collectKeys(t reflect.Type, keys map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collectKeys(t.Elem(), keys)
		return
	case reflect.Struct:
	default:
		return
	}
	if t == reflect.TypeFor[time.Time]() {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			keys[name] = true
		}
		if f.IsExported() {
			collectKeys(f.Type, keys)
		}
	}
}
