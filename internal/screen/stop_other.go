//go:build !unix

package screen

import "os"

// stopSignals are none where there are no jobs.
func stopSignals() (<-chan os.Signal, func()) { return nil, func() {} }

func stopJob() {}
