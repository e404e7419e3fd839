package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
)

// writeJSON writes v as one line. It leaves &, < and > alone and escapes what
// a terminal might obey, so that the line can be looked at; a parser reads the
// same value either way.
func writeJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeInvisible(buf.Bytes()))
	return err
}

// escapeInvisible escapes unprintable characters in encoded JSON. Below DEL
// the encoder has done so already, and beyond it they occur only in strings.
func escapeInvisible(line []byte) []byte {
	if !bytes.ContainsFunc(line, invisible) {
		return line
	}
	var out bytes.Buffer
	for _, r := range string(line) {
		if !invisible(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.Bytes()
}

func invisible(r rune) bool { return r >= 0x7f && !unicode.IsPrint(r) }
