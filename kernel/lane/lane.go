// Package lane decides which files a lane covers and whether two lanes may be
// held at once.
//
// A lane is a named region of the repository; its tree is a list of patterns
// that says which files the region holds. Two holders may work at once only
// if their lanes have different names and no file can lie in both trees. Two
// questions are kept apart. Overlap asks whether two trees might share a file
// and errs towards yes: it ignores case and Unicode form, and what it cannot
// read overlaps everything. Containment asks whether a given path lies in a
// tree and errs towards no: it takes every byte as it is.
//
// Decide judges one request against the leases that are live, and Arbitrate
// may answer it with another lane; both go through the same rungs. Which leases
// are live, and storing the answer under mutual exclusion, are the caller's
// part: nothing here reads a clock, a ref or a file. Price asks the same of workers
// that nobody has started yet, and Lint of a taxonomy that nobody uses yet.
package lane
