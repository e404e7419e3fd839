package main

import "errors"

func becomes(string, []string) error { return errors.ErrUnsupported }
