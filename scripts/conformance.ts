/**
 * `npm run conformance`: Kubernetes' own conformance suite against a simulated cluster of three nodes, and its counts by group into
 * `docs/conformance.md` (with `--write`), each spec that does not pass with its reason (`conformance/reasons.txt`). Needs Go to build the
 * suite once (about five minutes), or a built one in `BOWSPRIT_E2E`.
 *
 * `--focus REGEX` which specs (default: all of `[Conformance]`), `--skip REGEX` which not, `--seconds N` how long one may take, `--lanes N`
 * how many at once (those marked `[Serial]` follow alone), `--kubeconfig FILE` another cluster than the one it starts, `--json FILE`
 * everything about each spec (written after each), `--again FILE,FILE` runs only those that did not pass in such files, and takes all other
 * results from them, `--from FILE,FILE` runs nothing at all: counts (and with `--write` the page) are those of the files.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readReasons } from './conformance/reasons.ts'
import { conformancePage, countsByGroup, textTable } from './conformance/report.ts'
import { mergeResults, readResults, writeResults } from './conformance/result-files.ts'
import { runSpecs, type SpecResult } from './conformance/run-specs.ts'
import { startForConformance } from './conformance/start-for-conformance.ts'
import { findSuite, listSpecs } from './conformance/suite.ts'

const { values } = parseArgs({
  options: {
    focus: { type: 'string', default: '\\[Conformance\\]' },
    skip: { type: 'string' },
    seconds: { type: 'string', default: '120' },
    lanes: { type: 'string', default: '4' },
    kubeconfig: { type: 'string' },
    json: { type: 'string' },
    again: { type: 'string' },
    from: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const root = path.join(import.meta.dirname, '..')
const results = values.from === undefined ? await run() : readResults(values.from)
const reasons = readReasons(readFileSync(path.join(import.meta.dirname, 'conformance', 'reasons.txt'), 'utf8'))
if (values.json !== undefined) writeResults(values.json, results)
if (values.write) writeFileSync(path.join(root, 'docs', 'conformance.md'), conformancePage(results, reasons))
console.log(textTable(countsByGroup(results)))

async function run(): Promise<readonly SpecResult[]> {
  const before = values.again === undefined ? [] : readResults(values.again)
  const passed = new Set(before.filter((r) => r.state === 'passed').map((r) => r.name))
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-conformance-'))
  const suite = findSuite()
  const cluster = values.kubeconfig === undefined ? await startForConformance(folder) : undefined
  try {
    const kubeconfig = path.resolve(values.kubeconfig ?? cluster?.kubeconfig ?? '')
    const skip = values.skip === undefined ? undefined : new RegExp(values.skip)
    const all = listSpecs(suite, { kubeconfig, focus: values.focus, folder }).filter((s) => skip?.test(s.name) !== true)
    const specs = all.filter((s) => !passed.has(s.name))
    console.log(`${specs.length} specs${passed.size > 0 ? `; ${all.length - specs.length} passed before` : ''}`)
    const ran: SpecResult[] = []
    await runSpecs(specs, {
      suite,
      kubeconfig,
      folder,
      seconds: Number(values.seconds),
      lanes: Number(values.lanes),
      commit: commit(),
      tell: (r) => {
        ran.push(r)
        if (values.json !== undefined) writeResults(values.json, mergeResults([...before, ...ran]))
        if (r.state !== 'passed') console.log(`${r.state} ${r.name}\n    ${r.why?.slice(0, 240) ?? ''}`)
      },
    })
    return mergeResults([...before, ...ran])
  } finally {
    cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function commit(): string {
  return spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*'], { cwd: root, encoding: 'utf8' }).stdout.trim()
}
