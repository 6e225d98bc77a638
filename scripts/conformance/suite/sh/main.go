// The shell of the busybox image. Debian's busybox drops variables whose names no shell can set (data-1), which some specs print: for them
// it is bash.
package main

import (
	"os"
	"regexp"
	"syscall"
)

var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

func main() {
	shell := "/bin/busybox"
	for _, variable := range os.Environ() {
		if !name.MatchString(variable) {
			shell = "/bin/bash"
		}
	}
	if err := syscall.Exec(shell, os.Args, os.Environ()); err != nil {
		os.Exit(127)
	}
}
