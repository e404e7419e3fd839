package refstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/git-dos/git-dos/refstore/git"
)

// payloadFile is the name of a large payload in its entry's tree.
const payloadFile = "payload.json.zst"

// maxObject bounds an object read into memory.
const maxObject = 64 << 20

var errMissing = errors.New("object is missing")

func callOf(args ...string) git.Call { return git.Call{Args: args} }

// An objectReader reads objects: those that lie in files of their own by itself,
// and from the first that does not, all through one git cat-file --batch. It is
// not safe for concurrent use.
type objectReader struct {
	run git.Runner
	dir string // of the objects that lie in files of their own, "" when not known
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (r *Repo) objects() *objectReader { return &objectReader{run: r.Git, dir: r.Objects} }

func (o *objectReader) start(ctx context.Context) (err error) {
	if o.cmd != nil {
		return nil
	}
	cmd, err := o.run.Command(ctx, callOf("cat-file", "--batch"))
	if err != nil {
		return err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	o.cmd, o.in, o.out = cmd, in, bufio.NewReaderSize(out, 32<<10)
	return nil
}

// Close ends the git child. It is safe to call on a reader never used.
func (o *objectReader) Close() {
	if o.cmd == nil {
		return
	}
	_ = o.in.Close()
	_, _ = io.Copy(io.Discard, o.out)
	_ = o.cmd.Wait() // what it read was framed and complete, whatever its status
	o.cmd = nil
}

// get returns the type and bytes of the object name stands for: an id, or an
// expression such as <id>:dos.toml that holds no newline.
func (o *objectReader) get(ctx context.Context, name string) (kind string, body []byte, err error) {
	if kind, body, ok := o.quick(ctx, OID(name)); ok {
		return kind, body, nil
	}
	kind, body, _, err = o.lookup(ctx, name)
	return kind, body, err
}

// lookup is get with the id of the object. A damaged object ends the git
// child; the next question starts another.
func (o *objectReader) lookup(ctx context.Context, name string) (kind string, body []byte, id OID, err error) {
	if strings.ContainsAny(name, "\n\x00") {
		return "", nil, "", fmt.Errorf("illegal object name %q", name)
	}
	if err := o.start(ctx); err != nil {
		return "", nil, "", err
	}
	kind, body, id, err = o.ask(name)
	if err != nil && !errors.Is(err, errMissing) {
		o.Close()
	}
	if err != nil && ctx.Err() == nil {
		err = o.damaged(name, err)
	}
	return kind, body, id, err
}

// ask puts one question to the child.
func (o *objectReader) ask(name string) (kind string, body []byte, id OID, err error) {
	if _, err := io.WriteString(o.in, name+"\n"); err != nil {
		return "", nil, "", fmt.Errorf("git cat-file: %w", err)
	}
	header, err := o.out.ReadString('\n')
	if err != nil {
		return "", nil, "", fmt.Errorf("git cat-file: %w", err)
	}
	f := strings.Fields(header)
	if len(f) != 3 {
		return "", nil, "", fmt.Errorf("%w: %q", errMissing, name)
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if _, isID := ParseOID(f[0]); !isID || err != nil || size < 0 {
		return "", nil, "", fmt.Errorf("%w: %q", errMissing, name)
	}
	if size > maxObject {
		if _, err := io.CopyN(io.Discard, o.out, size+1); err != nil {
			return "", nil, "", err
		}
		return "", nil, "", fmt.Errorf("%s %s has %d bytes, more than %d", f[1], name, size, maxObject)
	}
	body = make([]byte, size+1)
	if _, err := io.ReadFull(o.out, body); err != nil {
		return "", nil, "", fmt.Errorf("git cat-file: %w", err)
	}
	return f[1], body[:size], OID(f[0]), nil
}

type commitParts struct {
	tree    OID
	parents []OID
	at      time.Time // the committer's
	message string
}

// commit reads the parts of a commit that a chain is made of.
func (o *objectReader) commit(ctx context.Context, id OID) (commitParts, error) {
	kind, body, err := o.get(ctx, string(id))
	if err != nil {
		return commitParts{}, err
	}
	if kind != "commit" {
		return commitParts{}, fmt.Errorf("%s is a %s, not a commit", id, kind)
	}
	return splitCommit(body)
}

func splitCommit(body []byte) (c commitParts, err error) {
	head, msg, ok := bytes.Cut(body, []byte("\n\n"))
	if !ok {
		return c, errors.New("commit without a message")
	}
	for line := range strings.SplitSeq(string(head), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree = OID(value)
		case "parent":
			c.parents = append(c.parents, OID(value))
		case "committer":
			c.at = stampTime(value)
		}
	}
	c.message = string(msg)
	return c, nil
}

// stampTime reads the time at the end of "name <mail> 1700000000 +0000"; the
// zero time when there is none.
func stampTime(who string) time.Time {
	f := strings.Fields(who[strings.LastIndexByte(who, '>')+1:])
	if len(f) != 2 {
		return time.Time{}
	}
	return unixTime(f[0])
}

// unixTime reads seconds since 1970; the zero time when it is no such number.
func unixTime(seconds string) time.Time {
	sec, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || sec < 0 || sec > maxStamp {
		return time.Time{}
	}
	return time.Unix(sec, 0).UTC()
}

// maxStamp is the last second RFC 3339 can write.
const maxStamp = 253402300799

// payload reads the payload of an entry of ref from the entry's tree.
func (o *objectReader) payload(ctx context.Context, ref string, tree OID) ([]byte, error) {
	b, err := o.packed(ctx, string(tree)+":"+payloadFile, maxPayload)
	if err != nil {
		return nil, fmt.Errorf("payload of %s: %w", ref, err)
	}
	if !oneLine(b) {
		return nil, fmt.Errorf("%w: the payload of %s is not one line of JSON", ErrBroken, ref)
	}
	return b, nil
}

// pack is zstd; unpack undoes it and refuses what expands to more than limit.
func pack(b []byte) ([]byte, error) {
	w, err := encoder()
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(b, nil), nil
}

func unpack(b []byte, limit int) ([]byte, error) {
	d, err := decoderFor(limit)
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(b, nil)
}

// Coders take long to make, and one may be used by many at once.
var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
})

var decoders sync.Map // by limit, of which there are few

func decoderFor(limit int) (*zstd.Decoder, error) {
	if d, ok := decoders.Load(limit); ok {
		return d.(*zstd.Decoder), nil
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)))
	if err != nil {
		return nil, err
	}
	kept, _ := decoders.LoadOrStore(limit, d)
	return kept.(*zstd.Decoder), nil
}
