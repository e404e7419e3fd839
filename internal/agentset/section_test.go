package agentset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheSectionComesAndGoesToTheByte(t *testing.T) {
	for name, was := range map[string]string{
		"none": "none", "empty": "", "a line": "# Agents\n", "no end": "# Agents", "blank lines": "a\n\n\n", "carriage returns": "a\r\nb\r\n", "carriage returns, no end": "a\r\nb",
		"a comment": "<!-- git dos -->\n",
	} {
		file := []byte(was)
		if name == "none" {
			was, file = "", nil
		}
		with, err := WithSection(file)
		if err != nil || !strings.HasPrefix(string(with), was) || strings.Count(string(with), sectionEnds) != 1 {
			t.Errorf("%s: %v\n%q", name, err, with)
		}
		again, err := WithSection(with)
		if err != nil || string(again) != string(with) {
			t.Errorf("%s: a second time there is %q, %v", name, again, err)
		}
		if back, err := WithoutSection(again); err != nil || string(back) != was || (back == nil) != (file == nil) {
			t.Errorf("%s: taken out there is %q, %v", name, back, err)
		}
		if strings.Contains(was, "\r\n") && strings.Contains(strings.ReplaceAll(string(with), "\r\n", ""), "\n") {
			t.Errorf("%s: two kinds of line ends: %q", name, with)
		}
	}
}

func TestTheSectionIsWrittenAnewInItsPlace(t *testing.T) {
	with, err := WithSection([]byte("# Before\n"))
	if err != nil {
		t.Fatal(err)
	}
	older := strings.Replace(string(with), "Shared work", "Something older", 1) + "# After\n"
	newer, err := WithSection([]byte(older))
	if err != nil || string(newer) != string(with)+"# After\n" {
		t.Errorf("%v\n%s", err, newer)
	}
	if back, err := WithoutSection(newer); err != nil || string(back) != "# Before\n# After\n" {
		t.Errorf("%q, %v", back, err)
	}
}

func TestHalfASectionIsNotTouched(t *testing.T) {
	with, _ := WithSection(nil)
	whole := string(with)
	for name, was := range map[string]string{
		"twice": whole + whole, "no end": strings.Replace(whole, sectionEnds, "", 1), "no begin": sectionEnds + "\n",
		"another begin": strings.Replace(whole, "begin 0", "begin 9", 1), "no number": strings.Replace(whole, "begin 0", "begin", 1),
		"a number of its own": strings.Replace(whole, "begin 0", "begin 1 of an empty file", 1),
	} {
		if out, err := WithSection([]byte(was)); err == nil {
			t.Errorf("%s: %q", name, out)
		}
		if out, err := WithoutSection([]byte(was)); err == nil {
			t.Errorf("%s: taken out: %q", name, out)
		}
	}
}

// A file in UTF-16, as some shells write them, would be two halves that nobody reads.
func TestTheSectionIsNotPutIntoUTF16(t *testing.T) {
	if out, err := WithSection([]byte("\xff\xfe#\x00\n\x00")); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("%q, %v", out, err)
	}
}

func FuzzTheSectionComesAndGoes(f *testing.F) {
	f.Add("# a\n")
	f.Add("a\r\n\r\nb")
	f.Fuzz(func(t *testing.T, was string) {
		if strings.Contains(was, "git dos init") || strings.Contains(was, "\x00") {
			return
		}
		with, err := WithSection([]byte(was))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := WithoutSection(with); err != nil || string(back) != was {
			t.Fatalf("%q came back as %q, %v", was, back, err)
		}
	})
}

func TestAFileOfOthersIsLeft(t *testing.T) {
	top := t.TempDir()
	file := Text{"a/b/SKILL.md", signed("text")}
	full := filepath.Join(top, "a", "b", "SKILL.md")
	put := func(x Text, remove bool) string {
		t.Helper()
		done, err := Put(top, x, remove, false)
		if err != nil {
			t.Fatal(err)
		}
		return done.What
	}
	if got := put(file, false) + put(file, false) + put(Text{file.Path, signed("newer")}, false); got != Wrote+Unchanged+Wrote {
		t.Errorf("first, second and newer: %s", got)
	}
	data, _ := os.ReadFile(full)
	os.WriteFile(full, []byte(strings.ReplaceAll(string(data), "\n", "\r\n")), 0o600)
	if got := put(Text{file.Path, signed("newer")}, false); got != Unchanged {
		t.Errorf("with other line ends: %s", got)
	}
	if got := put(file, true); got != Removed {
		t.Errorf("removed: %s", got)
	}
	if _, err := os.Stat(filepath.Join(top, "a")); !os.IsNotExist(err) {
		t.Errorf("the folders are left: %v", err)
	}
	for name, theirs := range map[string]string{"theirs": "mine\n", "changed": strings.Replace(signed("text"), "text", "test", 1), "empty": ""} {
		os.MkdirAll(filepath.Dir(full), 0o700)
		os.WriteFile(full, []byte(theirs), 0o600)
		if got := put(file, false) + put(file, true); got != Left+Left {
			t.Errorf("%s: %s", name, got)
		}
		if now, _ := os.ReadFile(full); string(now) != theirs {
			t.Errorf("%s: now %q", name, now)
		}
	}
	outside := t.TempDir()
	os.RemoveAll(filepath.Join(top, "a"))
	if err := os.Symlink(outside, filepath.Join(top, "a")); err != nil {
		return // not to be had here
	}
	if _, err := Put(top, file, false, false); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("behind a symbolic link: %v", err)
	}
}

func TestEverySkillIsBuiltIn(t *testing.T) {
	texts := Texts(SkillFolders)
	if len(texts) != 2*len(SkillNames)+1 {
		t.Errorf("%d texts", len(texts))
	}
	for _, x := range texts {
		if !isSigned([]byte(x.Body)) || isSigned([]byte(x.Body+"\n")) {
			t.Errorf("%s is not signed", x.Path)
		}
	}
}
