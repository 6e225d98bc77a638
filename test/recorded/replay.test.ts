/**
 * The recorded responses of Kubernetes 1.36.3 against the server part. All handwritten cases (`semantics`, `basics`, `table`, `custom`,
 * `cases-2`) and a sample of the generated ones (`create`, `update`); with BOWSPRIT_FULL_REPLAY=1 all. `npm run replay` replays all and
 * writes the counts.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { seededRandom } from '../../src/base/random.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { allRecorded, upstream } from '../upstream.ts'
import { caseFiles } from './case-files.ts'
import { knownDifferences } from './known-differences.ts'
import { replayCases, replayCounts } from './replay-cases.ts'

const SAMPLED = 0.08

test('the server responds as Kubernetes did, except for the known differences', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-replay-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster({ parts: ['server'] })
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const full = process.env.BOWSPRIT_FULL_REPLAY === '1' || !allRecorded
  const random = seededRandom(36)
  const whole = (file: string) => full || !/^(create|update)\//.test(file)
  const results = await replayCases(caseFiles(upstream), { kubeconfig, chosen: (file) => whole(file) || random.next() < SAMPLED })

  const news = results.filter((r) => !r.ok && !knownDifferences(r.file).has(r.id))
  assert.deepEqual(
    news.map((r) => `${r.file} ${r.id}: ${r.why}`),
    [],
    'answers that are not on the list of known differences',
  )
  if (!allRecorded) return
  const before = passed(readFileSync(path.join(import.meta.dirname, 'replay-counts.txt'), 'utf8').split('\n'))
  const now = passed(replayCounts(results))
  const fewer = [...now].filter(([file, cases]) => file !== 'all' && whole(file) && cases < (before.get(file) ?? 0))
  assert.deepEqual(fewer, [], 'fewer cases than in replay-counts.txt')
})

/** Passed cases by file. */
function passed(counts: readonly string[]): ReadonlyMap<string, number> {
  const found = counts.map((l) => /^(\S+): cases (\d+)\//.exec(l)).filter((m) => m !== null)
  return new Map(found.map((m) => [m[1] ?? '', Number(m[2])]))
}
