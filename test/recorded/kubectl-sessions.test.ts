/**
 * The recorded kubectl sessions against the server part: each command has to print what it printed against Kubernetes. Known differences
 * are in `known-differences.txt` under the name of the file. The repository has `sessions.json` alone; BOWSPRIT_RECORDINGS adds the others.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { runProgram } from '../run-program.ts'
import { upstream } from '../upstream.ts'
import { withAgesOfToday } from './ages.ts'
import { knownDifferences } from './known-differences.ts'

const recordings = path.join(upstream, 'kubectl')

for (const file of readdirSync(recordings).filter((name) => name.endsWith('.json')))
  test(`kubectl prints in ${file} what it printed against Kubernetes`, async (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-sessions-'))
    t.after(() => rmSync(folder, { recursive: true }))
    await using cluster = await startCluster({ parts: ['server'] })
    await cluster.listen()
    const kubeconfig = path.join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, cluster.kubeconfig())
    const recording = path.join(folder, file)
    writeFileSync(recording, withAgesOfToday(readFileSync(path.join(recordings, file), 'utf8')))
    const script = path.join(recordings, 'transcript.mjs')
    const args = [script, '--kubectl', kubectlPath('36'), '--kubeconfig', kubeconfig, '--show', '1000', recording]
    const { out, err } = await runProgram(process.execPath, args, { timeoutMs: 280_000 })
    assert.match(out, /\d+ passed, \d+ failed\n$/, err)
    const known = knownDifferences(file)
    const failed = [...out.matchAll(/^FAIL (.*)\n {5}(.*)$/gm)].filter((m) => !known.has(m[1] ?? ''))
    assert.deepEqual(
      failed.map((m) => `${m[1]}: ${m[2]}`),
      [],
    )
  })
