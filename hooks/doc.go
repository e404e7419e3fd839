// Package hooks is where git's hook protocol meets the gates that answer it:
// the protocol parsed once, and one gate per file, each a function from what
// is about to be pushed or committed to what is wrong with it.
//
// A [Gate] judges a [Push], what git said of it, and its [History], what the
// repository says: the commits it brings and the lines they add. [Judge] runs
// the gates that the policy arms, each in its mode. What a gate cannot read is
// a finding of its own, [CannotJudge], and refuses as any other does: only an
// [Override], which is recorded, lets a finding through.
package hooks
