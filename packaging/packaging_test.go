package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

var someTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("east", 3*3600))

func TestACommitIsNamedAsGoNamesIt(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	tests := []struct{ claim, tag, commit, want string }{
		{"a tag is the version", "v1.2.3", "", "v1.2.3"},
		{"so is that of a candidate", "v1.2.3-rc.1", "", "v1.2.3-rc.1"},
		{"without a tag there is only the commit", "", commit, "v0.0.0-20260304020607-0123456789ab"},
		{"what follows a release comes before the next", "v1.2.3", commit, "v1.2.4-0.20260304020607-0123456789ab"},
		{"what follows a candidate comes before the next", "v1.2.3-rc.1", commit, "v1.2.3-rc.1.0.20260304020607-0123456789ab"},
		{"half a version is none", "v1.2", "", ""},
		{"leading zeros are none", "v1.02.3", "", ""},
		{"a flag of the linker is none", "v1.2.3 -X", "", ""},
	}
	for _, tt := range tests {
		got, err := versionAfter(tt.tag, tt.commit, someTime)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: %q, %v, want %q", tt.claim, got, err, tt.want)
		}
	}
}

func TestTheTimeOfARelease(t *testing.T) {
	for epoch, want := range map[string]int64{"": 1000, "5": 5, "-5": -1, "soon": -1} {
		got, err := buildTime(1000, epoch)
		if (err != nil) != (want < 0) || err == nil && got.Unix() != want {
			t.Errorf("%q: %v, %v, want %d", epoch, got, err, want)
		}
	}
}

func TestTargets(t *testing.T) {
	got, err := parseTargets("linux/amd64,windows/amd64,linux/amd64")
	if err != nil || !slices.Equal(got, []target{{"linux", "amd64"}, {"windows", "amd64"}}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "linux", "plan9/amd64", "linux/amd64,"} {
		if got, err := parseTargets(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

// What somebody keeps with go env -w builds no release, and where that has
// modules come from still holds.
func TestBuildsHaveNobodysGoSettings(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(kept, []byte("GOFLAGS=-tags=other\nGOPROXY=off\nGOARM64=v9.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", kept)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOPROXY", "")
	t.Setenv("GOARM64", "")
	r := &release{source: t.TempDir()}
	env, err := r.buildEnv(t.Context(), target{"linux", "arm64"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.tool(t.Context(), r.source, env, "go", "env", "GOFLAGS", "GOPROXY", "GOARM64", "GOOS", "GOARCH", "CGO_ENABLED")
	if want := "\noff\nv8.0\nlinux\narm64\n0\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// A release is not mixed with what is there already.
func TestOnlyAnEmptyFolderIsWrittenTo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "dist")
	for range 2 {
		if err := emptyFolder(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := emptyFolder(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a full folder: %v", err)
	}
}

var someFiles = []file{{name: "b", text: []byte("text\n")}, {name: "a/tool", text: []byte("run"), exec: true}}

func TestATarArchiveTellsNothingOfItsMaker(t *testing.T) {
	var once, again bytes.Buffer
	for _, b := range []*bytes.Buffer{&once, &again} {
		if err := writeTar(b, sorted(someFiles, "dos"), someTime); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(once.Bytes(), again.Bytes()) {
		t.Error("two archives of the same differ")
	}
	text, err := gunzip(once.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(bytes.NewReader(text))
	for _, want := range []struct {
		name string
		mode int64
	}{{"dos/a/tool", 0o755}, {"dos/b", 0o644}} {
		h, err := files.Next()
		if err != nil || h.Name != want.name || h.Mode != want.mode || !h.ModTime.Equal(someTime) || h.Uid+h.Gid != 0 || h.Uname != "root" {
			t.Errorf("%+v, %v, want %+v", h, err, want)
		}
	}
}

func TestAZipArchiveIsTheSameInEachTimeZone(t *testing.T) {
	var here, there bytes.Buffer
	for b, at := range map[*bytes.Buffer]time.Time{&here: someTime, &there: someTime.UTC()} {
		if err := writeZip(b, sorted(someFiles, "dos"), at); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(here.Bytes(), there.Bytes()) {
		t.Error("two archives of the same differ")
	}
	z, err := zip.NewReader(bytes.NewReader(here.Bytes()), int64(here.Len()))
	if err != nil || len(z.File) != 2 || z.File[0].Name != "dos/a/tool" || z.File[0].Mode() != 0o755 || z.File[1].Mode() != 0o644 {
		t.Errorf("%+v, %v", z, err)
	}
}

func TestOnlyFilesAndFoldersAreLaidOut(t *testing.T) {
	lay := func(h tar.Header) error {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return layOut(b.Bytes(), t.TempDir())
	}
	if err := lay(tar.Header{Name: "a", Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
		t.Error(err)
	}
	for claim, h := range map[string]tar.Header{
		"a link":                    {Name: "a", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink},
		"a file outside the folder": {Name: "../a", Mode: 0o644, Typeflag: tar.TypeReg},
	} {
		if err := lay(h); err == nil {
			t.Errorf("%s is laid out", claim)
		}
	}
}

const (
	mitWords = "Permission is hereby granted, free of\ncharge, to any person obtaining a copy"
	bsdWords = "Redistribution and use in source and binary forms, with or without\n modification"
)

func TestLicencesAreKnownByTheirWords(t *testing.T) {
	for text, want := range map[string]string{
		mitWords:                                         "MIT",
		bsdWords:                                         "BSD-2-Clause",
		bsdWords + " Neither the name of X":              "BSD-3-Clause",
		"Apache License\n   Version 2.0":                 "Apache-2.0",
		"Mozilla Public License Version 2.0":             "MPL-2.0",
		"Apache License, Version 2.0 and\n" + mitWords:   "Apache-2.0 MIT",
		"all rights reserved, and you have none of them": "",
	} {
		if got := strings.Join(licencesIn(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAModuleWithoutAKnownLicenceEndsTheRelease(t *testing.T) {
	dir := t.TempDir()
	m := module{path: "example.com/m", version: "v1"}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("README", mitWords)
	write("LICENSE", "come and ask")
	if got, err := readModule(dir, m); err == nil || !strings.Contains(err.Error(), "example.com/m v1: no licence is known") {
		t.Errorf("%+v, %v", got, err)
	}
	write("LICENSE.txt", mitWords)
	got, err := readModule(dir, m)
	if err != nil || !slices.Equal(got.licences, []string{"MIT"}) || len(got.texts) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if book := string(licenceBook([]module{got})); !strings.Contains(book, "==== example.com/m v1: LICENSE.txt ====\n\n"+mitWords) {
		t.Errorf("the book has %q", book)
	}
	if _, err := readModule("", m); err == nil || !strings.Contains(err.Error(), "run go mod download") {
		t.Errorf("a module that is nowhere: %v", err)
	}
}

func TestABillListsEveryModule(t *testing.T) {
	modules := []module{{path: "example.com/m", version: "v1+incompatible", sum: "h1:x=", licences: []string{"MIT"}}, {path: "std", version: "go1.26"}}
	text, err := newBill("v1.2.3", "c0ffee", someTime.UTC(), []byte("binary"), modules, &debug.BuildInfo{GoVersion: "go1.26", Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}}})
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	m := b.Components[0]
	if len(b.Components) != 2 || m.URL != "pkg:golang/example.com/m@v1%2Bincompatible" || m.Licences[0].Licence.ID != "MIT" || m.Details[0].Value != "h1:x=" {
		t.Errorf("components %+v", b.Components)
	}
	own := b.Metadata.Component
	if own.Version != "v1.2.3" || own.Hashes[0].Content != "9a3a45d01531a20e89ac6ae10b0b0beb0492acd7216a368aa062d1a5fecaf9cd" {
		t.Errorf("the binary is %+v", own)
	}
	if b.Metadata.Time != "2026-03-04T02:06:07Z" || !slices.Equal(b.Needs[0].On, []string{m.Ref, "pkg:golang/std@go1.26"}) {
		t.Errorf("%s, %+v", b.Metadata.Time, b.Needs)
	}
}

// What packages compress is compressed when it is laid out for them, the same
// on every run.
func TestPagesAreCompressedForPackages(t *testing.T) {
	r, dir := &release{at: someTime}, t.TempDir()
	files := []file{{name: "share/man/man1/git-dos.1", text: []byte("page")}, {name: "git-dos", text: []byte("run"), exec: true}}
	if err := r.lay(dir, files); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "share/man/man1/git-dos.1.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := gunzip(page); err != nil || string(text) != "page" || page[4]|page[5]|page[6]|page[7] != 0 {
		t.Errorf("%q, %v, header % x", text, err, page[:10])
	}
	info, err := os.Stat(filepath.Join(dir, "git-dos"))
	if err != nil || !info.ModTime().Equal(someTime) || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the binary is %v, %v", info, err)
	}
}

func TestOnePackageIsKept(t *testing.T) {
	r, dir := &release{out: t.TempDir()}, t.TempDir()
	if err := r.keepFrom(dir); err == nil {
		t.Error("nothing was packed, and that is kept")
	}
	if err := os.WriteFile(filepath.Join(dir, "a.deb"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.keepFrom(dir); err != nil {
		t.Fatal(err)
	}
	if err := r.writeSums(); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	if err != nil || string(sums) != "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881  a.deb\n" {
		t.Errorf("%q, %v", sums, err)
	}
}
