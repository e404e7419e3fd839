package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"time"
)

// A file is what goes into an archive under a name of its own.
type file struct {
	name string
	text []byte
	exec bool
}

func (f file) mode() os.FileMode {
	if f.exec {
		return 0o755
	}
	return 0o644
}

// sorted is files by name, each below a folder.
func sorted(files []file, folder string) []file {
	files = slices.Clone(files)
	for i := range files {
		files[i].name = folder + "/" + files[i].name
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return files
}

// writeTar writes a compressed tar archive. Everything in it is of one time and
// belongs to root.
func writeTar(w io.Writer, files []file, at time.Time) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode()), Size: int64(len(f.text)), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.text); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

// writeZip writes a zip archive of the same.
func writeZip(w io.Writer, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(f.mode())
		entry, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.text); err != nil {
			return err
		}
	}
	return z.Close()
}

// compressed is a file as gzip makes it, with neither name nor time.
func compressed(f file) (file, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return file{}, err
	}
	if _, err := z.Write(f.text); err != nil {
		return file{}, err
	}
	err = z.Close()
	return file{name: f.name + ".gz", text: b.Bytes(), exec: f.exec}, err
}
