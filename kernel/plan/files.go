package plan

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// noSource are the extensions of archives, images and other binaries: what a
// section names of them is no work of a phase.
var noSource = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for ext := range strings.FieldsSeq(`
		7z bz2 gz jar rar tar tgz war whl xz zip zst
		bmp gif heic ico jpeg jpg png psd svg tif tiff webp
		a bin class dll dylib exe lib o obj pdb pyc so wasm
		avi eot mov mp3 mp4 ogg otf pdf ttf wav webm woff woff2`) {
		m["."+ext] = true
	}
	return m
})

// Files lists the files the section names: words of the form dir/file.ext, as
// paths from the root of the tree, each once, in its order. With code
// directories only those that lie in one count.
func (s Section) Files(codeDirs []string) []string {
	var files []string
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(s.Text, splitsFiles) {
		file, ok := fileIn(word)
		if ok && !seen[file] && inDirs(file, codeDirs) {
			seen[file] = true
			files = append(files, file)
		}
	}
	return files
}

// splitsFiles reports whether a character stands between files rather than in
// the name of one.
func splitsFiles(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("`'\"()[]{}<>,;|=!\u2018\u2019\u201c\u201d\u2014\u2026", r)
}

// fileIn reads a path out of a word, without the line or anchor behind it.
func fileIn(word string) (string, bool) {
	if strings.Contains(word, "://") {
		return "", false
	}
	word = strings.TrimLeft(word, "*")
	for _, behind := range []string{":", "#", "?"} {
		word, _, _ = strings.Cut(word, behind)
	}
	word = strings.TrimPrefix(strings.TrimRight(word, ".*"), "./")
	dir, base := path.Split(word)
	ext := path.Ext(base)
	switch {
	case dir == "" || dir[0] == '/' || !utf8.ValidString(word) || strings.ContainsAny(word, "*\\~$%"):
		return "", false
	case len(ext) < 2 || ext == base || !strings.ContainsFunc(ext, unicode.IsLetter) || noSource()[strings.ToLower(ext)]:
		return "", false
	}
	for segment := range strings.SplitSeq(word, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return "", false
		}
	}
	return word, true
}

func inDirs(file string, dirs []string) bool {
	return len(dirs) == 0 || slices.ContainsFunc(dirs, func(dir string) bool {
		dir = strings.Trim(strings.TrimPrefix(dir, "./"), "/")
		return dir == "" || dir == "." || strings.HasPrefix(file, dir+"/")
	})
}

// hubs are the names of files that many phases touch.
var hubs = []string{"config.py", "__init__.py", "models.py", "cli.py", "utils.py", "constants.py", "settings.py", "conftest.py"}

// Hub reports whether a file is one that phases of all kinds touch, so that
// touching it tells nothing of one phase: by its name, whatever its directory
// and case, one of the built-in names or the two lists; or a picture or diagram
// under docs/.
func Hub(file string, infraBasenames, infraDocs []string) bool {
	base := strings.ToLower(path.Base(file))
	named := func(list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return strings.EqualFold(name, base) })
	}
	if named(hubs) || named(infraBasenames) || named(infraDocs) {
		return true
	}
	ext := path.Ext(base)
	return strings.HasPrefix(strings.ToLower(file), "docs/") && (ext == ".png" || ext == ".mmd")
}
