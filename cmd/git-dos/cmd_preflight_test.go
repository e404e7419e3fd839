package main

import (
	"testing"

	"github.com/git-dos/git-dos/internal/marker"
)

func TestWhatALaunchStartedIsNotCountedBesideIt(t *testing.T) {
	spawns := []marker.Marker{
		{RunID: "launch", Lane: "api", Launch: true}, {RunID: "its worker", Lane: "api"},
		{RunID: "picks", Launch: true}, {RunID: "another", Lane: "web"}, {RunID: "on no lane"},
	}
	rest := preflightRest(spawns, map[string]bool{"launch": true, "picks": true})
	if len(rest) != 2 || rest[0].RunID != "another" || rest[1].RunID != "on no lane" {
		t.Errorf("left are %v", rest)
	}
}
