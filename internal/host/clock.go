package host

// Clock reads a clock of this machine that runs on while it is suspended: the
// nanoseconds since the boot that it names. Readings of one boot compare, others
// do not. It is [ErrUnsupported] where there is no such clock that this package
// knows: then nothing can be said of how long anything has lasted.
func Clock() (boot string, at int64, err error) { return clock() }

// Gone reports whether a process has provably ended: it was one of this boot and
// of this pid namespace, and no process has its number and start any more. All
// that is doubtful, another machine's process, another user's, one that cannot
// be looked at, is not gone.
func Gone(p Proc) bool { return gone(p) }
