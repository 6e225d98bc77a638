import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { installPrograms, pageSteps, stableOutput } from '../scripts/walked-page.ts'
import { systemClock, VirtualClock } from '../src/base/clock.ts'
import type { Cluster } from '../src/cluster/cluster.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { type ProgramOptions, runProgram } from './run-program.ts'

const root = path.join(import.meta.dirname, '..')

/** The files of a page (`ts walked webhook.ts`). */
const pageFiles = (page: string): { name: string; content: string }[] =>
  [...readFileSync(path.join(root, 'docs', page), 'utf8').matchAll(/^```\w+ walked (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', content = '']) => ({ name, content }),
  )

/** A shell in a folder with kubectl, the plugin and `bowsprit`, as an installation would have them, and no cluster; gone after the test. */
export function installedPrograms(t: TestContext) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-page-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const env = installPrograms(folder)
  const sh = (script: string, more: Readonly<Record<string, string>> = {}, options: Pick<ProgramOptions, 'onOut' | 'signal'> = {}) =>
    runProgram('sh', ['-c', script], { env: { ...env, ...more }, cwd: folder, ...options })
  return { folder, sh }
}

/** The same, with the kubeconfig of a cluster. */
export async function installed(t: TestContext, cluster: Cluster) {
  const { folder, sh } = installedPrograms(t)
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const env = { KUBECONFIG: kubeconfig }
  return {
    folder,
    sh: (script: string) => sh(script, env),
    /** Runs a command that does not end by itself, until a line of its output matches: that line. */
    async firstLine(command: string, pattern: RegExp): Promise<string> {
      const found = new AbortController()
      let line = ''
      const onOut = (out: string) => {
        // kubectl writes a line in pieces: what follows the last end of a line is not yet one.
        const lines = out.split('\n').slice(0, -1)
        line = lines.find((text) => pattern.test(text)) ?? ''
        if (line !== '') found.abort()
      }
      const ended = await sh(`exec ${command}`, env, { onOut, signal: found.signal }).catch((error) => {
        if (!found.signal.aborted) throw error
      })
      assert.equal(ended?.err ?? '', '', `${command} shows no line like ${pattern}`)
      return line
    },
  }
}

/**
 * Walks a page in a cluster of two nodes: runs each command, and compares its output. `port` replaces 8443 in the page; with `fast` the
 * cluster's time runs a hundred times as fast.
 */
export async function walk(
  t: TestContext,
  page: string,
  { steps, fast = false, port, ...options }: { steps: number; fast?: boolean; port?: number; serviceAddresses?: boolean },
): Promise<void> {
  const found = pageSteps(page)
  assert.equal(found.length, steps)
  const here = (text: string) => (port === undefined ? text : text.replaceAll('8443', String(port)))
  const clock = fast ? new VirtualClock(Date.now()) : systemClock
  await using cluster = await startCluster({ nodes: 2, ...options }, { clock })
  const stop = new AbortController()
  const time = (async () => {
    while (clock instanceof VirtualClock && !stop.signal.aborted) {
      await clock.advance(1000)
      await pause(10)
    }
  })()
  try {
    const { sh, folder } = await installed(t, cluster)
    for (const { name, content } of pageFiles(page))
      writeFileSync(path.join(folder, name), here(content).replaceAll("'bowsprit/sdk'", `'${path.join(root, 'src', 'sdk', 'sdk.ts')}'`))
    for (const { script, shown } of found) {
      const { out, err } = await sh(`${here(script)}\n`)
      assert.equal(stableOutput(out + err), stableOutput(here(shown)))
    }
  } finally {
    stop.abort()
    await time
  }
}

/** Walks a page that starts its own clusters, in the shell of a user who has none. */
export async function walkAlone(t: TestContext, page: string, { steps }: { steps: number }): Promise<void> {
  const found = pageSteps(page)
  assert.equal(found.length, steps)
  const { folder, sh } = installedPrograms(t)
  try {
    for (const { script, shown } of found) {
      const { out, err } = await sh(`${script}\n`, { KUBECONFIG: '' })
      assert.equal(stableOutput((out + err).replaceAll(folder, 'HOME')), stableOutput(shown))
    }
  } finally {
    await sh(`bowsprit list | awk '$2 == "running" { print $1 }' | xargs -r -n 1 bowsprit stop`)
  }
}
