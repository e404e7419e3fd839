package audit

import "slices"

// A diff is the files of a change with their classes.
type diff struct {
	files   []File
	classes []class
}

func sortFiles(files []File) diff {
	d := diff{files: files, classes: make([]class, len(files))}
	for i, f := range files {
		d.classes[i] = classify(f)
	}
	return d
}

func (d diff) empty() bool { return len(d.files) == 0 }

// any reports whether a file of class c satisfies is.
func (d diff) any(c class, is func(File, class) bool) bool {
	for i, f := range d.files {
		if d.classes[i]&c != 0 && is(f, d.classes[i]) {
			return true
		}
	}
	return false
}

// has reports whether a file of class c changed in any way.
func (d diff) has(c class) bool {
	return slices.ContainsFunc(d.classes, func(have class) bool { return have&c != 0 })
}

// solid reports whether the content of a file of class c changed that is no
// test.
func (d diff) solid(c class) bool {
	return d.any(c, func(f File, have class) bool { return have&test == 0 && !f.hollow() })
}

func (d diff) solidTest() bool {
	return d.any(test, func(f File, _ class) bool { return !f.hollow() })
}

// declared reports whether a file of class c changed in a way that carries
// nothing unless the subject says so, and it does.
func (d diff) declared(s subject, c class) bool {
	return d.any(c, func(f File, have class) bool {
		switch {
		case have&upkeep != 0 && !s.names(f.Path) && !s.says(&upkeepWords):
			return false
		case have&test != 0 && !s.says(&testWords):
			return false
		case f.ModeOnly:
			return s.says(&modeWords)
		case f.WhitespaceOnly:
			return s.says(&whitespaceWords)
		}
		return true
	})
}

// carries reports whether a file of class c changed in its content, or as the
// subject declares.
func (d diff) carries(s subject, c class) bool {
	return d.any(c, func(f File, _ class) bool {
		return !f.hollow() || f.ModeOnly && s.says(&modeWords) || f.WhitespaceOnly && s.says(&whitespaceWords)
	})
}

// undeclaredCode reports whether every file is code, and the content of some
// changed outside the folders where documents and their examples live.
func (d diff) undeclaredCode() bool {
	if slices.ContainsFunc(d.classes, func(have class) bool { return have&source == 0 }) {
		return false
	}
	return d.any(source, func(f File, _ class) bool {
		dir, _ := splitPath(lower(f.Path))
		return !f.hollow() && !slices.ContainsFunc(dir, docDirs.has)
	})
}

func (d diff) onlyModes() bool {
	return !slices.ContainsFunc(d.files, func(f File) bool { return !f.ModeOnly })
}

// lines sums up the lines of the files of class c.
func (d diff) lines(c class) (added, deleted int) {
	for i, f := range d.files {
		if d.classes[i]&c != 0 {
			added, deleted = added+f.Added, deleted+f.Deleted
		}
	}
	return added, deleted
}

// finding lists the paths by class.
func (d diff) finding() Finding {
	return Finding{
		SourceFiles: d.paths(source), TestFiles: d.paths(test), CIFiles: d.paths(ci),
		DataFiles: d.paths(data), DocFiles: d.paths(doc), OtherFiles: d.paths(media | upkeep),
	}
}

func (d diff) paths(c class) []string {
	list := []string{}
	for i, f := range d.files {
		if d.classes[i]&c != 0 {
			list = append(list, f.Path)
		}
	}
	return list
}
