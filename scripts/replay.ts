/**
 * `npm run replay [-- FILE…]`: starts the server part on memory, replays the recorded answers of `../shared/upstream` (`cases` and
 * `cases-2`, or the seed of them) against it, writes the count of each file to `test/recorded/replay-counts.txt`, and brings
 * `test/recorded/known-differences.txt` up to date (what is new there wants a reason). With files (parts of their paths) or `--only TEXT`,
 * only those, and nothing is written.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startCluster } from '../src/cluster/start-cluster.ts'
import { caseFiles } from '../test/recorded/case-files.ts'
import { noteDifferences } from '../test/recorded/known-differences.ts'
import { replayCases, replayCounts } from '../test/recorded/replay-cases.ts'
import { allRecorded, upstream } from '../test/upstream.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    show: { type: 'string', default: '20' },
    only: { type: 'string' },
    json: { type: 'string' },
    jobs: { type: 'string', default: '8' },
  },
})
const files = caseFiles(upstream).filter((f) => positionals.length === 0 || positionals.some((p) => f.includes(p)))
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-replay-'))
const kubeconfig = path.join(folder, 'kubeconfig')
const cluster = await startCluster({ parts: ['server'], ephemeral: true, port: 0, kubeconfig })
try {
  const { only } = values
  const chosen = only === undefined ? {} : { chosen: (_: string, id: string) => id.includes(only) }
  const results = await replayCases(files, { kubeconfig, jobs: Number(values.jobs), ...chosen })
  const failed = results.filter((r) => !r.ok)
  for (const r of failed.slice(0, Number(values.show))) console.log(`FAIL ${r.file} ${r.id}\n     ${r.why}`)
  const counts = replayCounts(results)
  console.log(counts.join('\n'))
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, undefined, 1))
  if (allRecorded && positionals.length === 0 && only === undefined) {
    writeFileSync(path.join(import.meta.dirname, '..', 'test', 'recorded', 'replay-counts.txt'), `${counts.join('\n')}\n`)
    noteDifferences(
      new Set(files),
      failed.map((r) => ({ file: r.file, id: r.id })),
    )
  }
} finally {
  await cluster[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
}
