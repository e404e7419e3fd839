package main

import (
	"maps"
	"slices"

	"github.com/urfave/cli/v2"
)

// wholeFlags reads flags that are whole numbers of at least least. One that is
// not given leaves what it would fill as it is.
func wholeFlags(c *cli.Context, least int64, into map[string]*int64) error {
	for _, name := range slices.Sorted(maps.Keys(into)) {
		n, err := lifeWhole(c, name, least)
		if err != nil {
			return err
		}
		if n != nil {
			*into[name] = *n
		}
	}
	return nil
}
