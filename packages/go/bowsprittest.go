// Package bowsprittest gives a Go test a whole Kubernetes cluster. It needs no other module and downloads nothing: it starts the program bowsprit.
package bowsprittest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cluster is a running cluster.
type Cluster struct {
	// Kubeconfig is the path of a kubeconfig with an administrator's credentials.
	Kubeconfig string

	folder string
	cmd    *exec.Cmd
	stdin  io.Closer
	ended  chan struct{}
}

// Option says what the cluster is to be.
type Option func(*settings)

type settings struct {
	flags   []string
	timeout time.Duration
}

// Nodes is how many simulated nodes there are (1 when it is not said).
func Nodes(count int) Option { return Flags("--nodes", strconv.Itoa(count)) }

// Parts says what runs, of server, controllers, scheduler and nodes (all of them when it is not said).
func Parts(parts ...string) Option { return Flags("--parts", strings.Join(parts, ",")) }

// Flags are further flags of "bowsprit up".
func Flags(flags ...string) Option {
	return func(s *settings) { s.flags = append(s.flags, flags...) }
}

// Timeout is how long a start may take (a minute when it is not said).
func Timeout(limit time.Duration) Option { return func(s *settings) { s.timeout = limit } }

// Start gives the test a cluster of its own, in memory, on a free port; it is stopped when the test ends. A cluster that cannot be had fails the test.
func Start(t testing.TB, options ...Option) *Cluster {
	t.Helper()
	cluster, err := Run(options...)
	if err != nil {
		t.Fatalf("bowsprittest: %v", err)
	}
	t.Cleanup(cluster.Stop)
	return cluster
}

// Run is Start for a TestMain: whoever calls it calls Stop.
func Run(options ...Option) (*Cluster, error) {
	s := settings{timeout: time.Minute}
	for _, option := range options {
		option(&s)
	}
	program, err := find()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "bowsprit-")
	if err != nil {
		return nil, err
	}
	cluster, err := launch(program, folder, s)
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	return cluster, nil
}

func launch(program, folder string, s settings) (*Cluster, error) {
	c := &Cluster{Kubeconfig: filepath.Join(folder, "kubeconfig"), folder: folder, ended: make(chan struct{})}
	logFile := filepath.Join(folder, "log")
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	words := []string{"up", "--ephemeral", "--port", "0", "--until-stdin-ends", "--kubeconfig", c.Kubeconfig}
	c.cmd = exec.Command(program, append(words, s.flags...)...)
	c.cmd.Stderr = log
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", program, err)
	}
	go func() {
		_ = c.cmd.Wait()
		close(c.ended)
	}()
	said := func() string {
		text, _ := os.ReadFile(logFile)
		return strings.TrimSpace(string(text))
	}
	deadline := time.After(s.timeout)
	for {
		if _, err := os.Stat(c.Kubeconfig); err == nil {
			return c, nil
		}
		select {
		case <-c.ended:
			return nil, fmt.Errorf("bowsprit ended with %d before it was ready: %s", c.cmd.ProcessState.ExitCode(), said())
		case <-deadline:
			_ = c.cmd.Process.Kill()
			<-c.ended
			return nil, fmt.Errorf("bowsprit was not ready after %s: %s", s.timeout, said())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Stop stops the cluster and removes its kubeconfig; a second call does nothing.
func (c *Cluster) Stop() {
	_ = c.stdin.Close()
	select {
	case <-c.ended:
	case <-time.After(10 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.ended
	}
	os.RemoveAll(c.folder)
}

// What BOWSPRIT names, the program of the node_modules here or above, or the one on the PATH.
func find() (string, error) {
	if named := os.Getenv("BOWSPRIT"); named != "" {
		return named, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for folder := here; ; folder = filepath.Dir(folder) {
		if found, err := exec.LookPath(filepath.Join(folder, "node_modules", ".bin", "bowsprit")); err == nil {
			return found, nil
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	if found, err := exec.LookPath("bowsprit"); err == nil {
		return found, nil
	}
	return "", errors.New("bowsprit was not found in node_modules here or above, nor on the PATH: " +
		"npm install --save-dev bowsprit, or name the program in the environment variable BOWSPRIT")
}
