/**
 * `npm run conformance`: Kubernetes' own conformance suite against a simulated cluster of three nodes, or with `--real` against two real
 * nodes (root, containerd and apt are needed), and its counts by group into `docs/conformance.md` (with `--write`), each spec that does not
 * pass with its reason (`conformance/reasons.txt`). Needs Go to build the suite once (about five minutes), or a built one in
 * `BOWSPRIT_E2E`.
 *
 * `--focus REGEX` which specs (default: all of `[Conformance]`), `--skip REGEX` which not, `--seconds N` how long one may take, `--lanes N`
 * how many at once (those marked `[Serial]` follow alone), `--minutes N` how long others are begun, `--kubeconfig FILE` another cluster
 * than the one it starts, `--json FILE` everything about each spec (written after each), `--again FILE,FILE` runs only those that did not
 * pass in such files, and takes all other results from them, `--from FILE,FILE` runs nothing at all: counts (and with `--write` the page)
 * are those of the files.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { inNamespaces, isInNamespaces } from '../test/real-nodes/in-namespaces.ts'
import { REAL } from './conformance/real/real-section.ts'
import { startOnRealNodes } from './conformance/real/start-on-real-nodes.ts'
import { suiteImages } from './conformance/real/suite-images.ts'
import { readReasons } from './conformance/reasons.ts'
import { countsByGroup, SIMULATED, sectionOf, textTable, withSection } from './conformance/report.ts'
import { mergeResults, readResults, writeResults } from './conformance/result-files.ts'
import { runSpecs, type SpecResult } from './conformance/run-specs.ts'
import { type ConformanceCluster, startForConformance } from './conformance/start-for-conformance.ts'
import { findSuite, listSpecs } from './conformance/suite.ts'

const { values } = parseArgs({
  options: {
    focus: { type: 'string', default: '\\[Conformance\\]' },
    skip: { type: 'string' },
    seconds: { type: 'string', default: '120' },
    lanes: { type: 'string', default: '4' },
    minutes: { type: 'string', default: 'Infinity' },
    kubeconfig: { type: 'string' },
    json: { type: 'string' },
    again: { type: 'string' },
    from: { type: 'string' },
    real: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const root = path.join(import.meta.dirname, '..')
if (values.real && values.from === undefined && !isInNamespaces()) {
  // There they could fetch nothing.
  process.env.BOWSPRIT_E2E = findSuite()
  await suiteImages()
  // The folder can be removed when all that is mounted there has gone with the namespaces.
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-conformance-'))
  process.env.TMPDIR = folder
  const code = await inNamespaces(import.meta.filename, process.argv.slice(2))
  rmSync(folder, { recursive: true, force: true })
  process.exit(code)
}
const results = values.from === undefined ? await run() : readResults(values.from)
const reasons = readReasons(readFileSync(path.join(import.meta.dirname, 'conformance', 'reasons.txt'), 'utf8'))
if (values.json !== undefined) writeResults(values.json, results)
if (values.write) {
  const page = path.join(root, 'docs', 'conformance.md')
  const section = sectionOf(values.real ? REAL : SIMULATED, results, reasons)
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section))
}
console.log(textTable(countsByGroup(results)))
// The machines and their nodes go with this process.
if (isInNamespaces()) process.exit()

async function run(): Promise<readonly SpecResult[]> {
  const before = values.again === undefined ? [] : readResults(values.again)
  const states = new Map(before.map((r) => [r.name, r.state]))
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-conformance-'))
  const suite = findSuite()
  const cluster = values.kubeconfig === undefined ? await start(folder) : undefined
  try {
    const kubeconfig = path.resolve(values.kubeconfig ?? cluster?.kubeconfig ?? '')
    const skip = values.skip === undefined ? undefined : new RegExp(values.skip)
    const all = listSpecs(suite, { kubeconfig, focus: values.focus, folder }).filter((s) => skip?.test(s.name) !== true)
    // Those that were never tried come first.
    const specs = all
      .filter((s) => states.get(s.name) !== 'passed')
      .toSorted((a, b) => Number(states.has(a.name)) - Number(states.has(b.name)))
    console.log(`${specs.length} specs${specs.length < all.length ? `; ${all.length - specs.length} passed before` : ''}`)
    const ran: SpecResult[] = []
    await runSpecs(specs, {
      suite,
      kubeconfig,
      folder,
      seconds: Number(values.seconds),
      lanes: Number(values.lanes),
      minutes: Number(values.minutes),
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
    if (!isInNamespaces()) rmSync(folder, { recursive: true, force: true })
  }
}

function start(folder: string): Promise<ConformanceCluster> {
  return values.real ? startOnRealNodes(folder) : startForConformance(folder, ['--nodes', '3'])
}

function commit(): string {
  return spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*'], { cwd: root, encoding: 'utf8' }).stdout.trim()
}
