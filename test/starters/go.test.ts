/** The Go module, with the example of docs/starters.md. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { GO_ENVIRONMENT } from '../go-program.ts'
import { lacks, root, starter } from './starter.ts'

const REFUSED = `package colors

import (
	"os"
	"strings"
	"testing"

	"bowsprit.dev/bowsprittest"
)

func TestRefused(t *testing.T) {
	if _, err := bowsprittest.Run(bowsprittest.Flags("--no-such-flag")); err == nil || !strings.Contains(err.Error(), "--no-such-flag") {
		t.Error(err)
	}
	t.Setenv("BOWSPRIT", "/nowhere/bowsprit")
	if _, err := bowsprittest.Run(); err == nil || !strings.Contains(err.Error(), "/nowhere/bowsprit cannot be started") {
		t.Error(err)
	}
	os.Unsetenv("BOWSPRIT")
	t.Setenv("PATH", "/nowhere")
	if _, err := bowsprittest.Run(); err == nil || !strings.Contains(err.Error(), "npm install --save-dev bowsprit") {
		t.Error(err)
	}
}

// The process ends without a call of Stop.
func TestDies(t *testing.T) {
	if os.Getenv("DIES") == "" {
		t.Skip("asked for by name")
	}
	cluster, err := bowsprittest.Run(bowsprittest.Parts("server"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(cluster.Kubeconfig)
	os.Stdout.Write(text)
	os.Exit(3)
}
`

test('a test of Go gets its cluster, and nothing of it is left', async (t) => {
  const why =
    (await lacks('go', 'version')) ?? (await lacks('go', '-C', path.join(root, 'test', 'clients', 'go-clients'), 'mod', 'download'))
  if (why !== undefined) return t.skip(why)
  const { folder, run, left } = starter(t, 'colors_test.go')
  const mod = readFileSync(path.join(root, 'test', 'clients', 'go-clients', 'go.mod'), 'utf8')
  const module = path.join(root, 'packages', 'go')
  writeFileSync(
    path.join(folder, 'go.mod'),
    `${mod}\nrequire bowsprit.dev/bowsprittest v0.0.0\nreplace bowsprit.dev/bowsprittest => ${module}\n`,
  )
  cpSync(path.join(root, 'test', 'clients', 'go-clients', 'go.sum'), path.join(folder, 'go.sum'))
  writeFileSync(path.join(folder, 'refused_test.go'), REFUSED)
  const built = await run('go', ['test', '-c', '-o', 'colors', '.'], GO_ENVIRONMENT)
  assert.equal(built.code, 0, built.err)
  const tested = await run('./colors', ['-test.v'])
  assert.deepEqual([tested.code, left()], [0, []], `${tested.out}${tested.err}`)
  assert.match(tested.out, /--- PASS: TestNodes/)

  const died = await run('./colors', ['-test.run', 'TestDies'], { DIES: 'yes' })
  assert.equal(died.code, 3, `${died.out}${died.err}`)
  const address = /server: (\S+)/.exec(died.out)?.[1] ?? assert.fail(died.out)
  await untilRefused(address)
})

/** Resolves when the address refuses connections; the test's own time limit applies. */
async function untilRefused(address: string): Promise<void> {
  const { hostname, port } = new URL(address)
  const net = await import('node:net')
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = net.connect(Number(port), hostname, () => resolve(true))
      socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
    })
    if (!open) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
