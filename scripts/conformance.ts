/**
 * `npm run conformance`: Kubernetes' own conformance suite against a simulated cluster of three nodes, and its counts by group into
 * `docs/conformance.md` (with `--write`), each spec that does not pass with its reason (`conformance/reasons.txt`). Needs Go to build the suite
 * once (about five minutes), or a built one in `BOWSPRIT_E2E`.
 *
 * `--focus REGEX` which specs (default: all of `[Conformance]`), `--seconds N` how long one may take, `--lanes N` how many at once (those marked
 * `[Serial]` follow alone), `--kubeconfig FILE` another cluster than the one it starts, `--json FILE` everything about each spec, `--again FILE` runs
 * only those that did not pass in such a file, and takes the others' results from it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readReasons } from './conformance/reasons.ts'
import { conformancePage, countsByGroup, textTable } from './conformance/report.ts'
import { runSpecs, type SpecResult } from './conformance/run-specs.ts'
import { startForConformance } from './conformance/start-for-conformance.ts'
import { findSuite, listSpecs } from './conformance/suite.ts'

const { values } = parseArgs({
  options: {
    focus: { type: 'string', default: '\\[Conformance\\]' },
    seconds: { type: 'string', default: '120' },
    lanes: { type: 'string', default: '4' },
    kubeconfig: { type: 'string' },
    json: { type: 'string' },
    again: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const root = path.join(import.meta.dirname, '..')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-conformance-'))
const suite = findSuite()
const cluster = values.kubeconfig === undefined ? await startForConformance(folder) : undefined
try {
  const kubeconfig = path.resolve(values.kubeconfig ?? cluster?.kubeconfig ?? '')
  const before = values.again === undefined ? [] : (JSON.parse(readFileSync(values.again, 'utf8')) as SpecResult[])
  const passed = new Map(before.filter((r) => r.state === 'passed').map((r) => [r.name, r]))
  const all = listSpecs(suite, { kubeconfig, focus: values.focus, folder })
  const specs = all.filter((s) => !passed.has(s.name))
  console.log(`${specs.length} specs${passed.size > 0 ? `; ${all.length - specs.length} passed before` : ''}`)
  const ran = await runSpecs(specs, {
    suite,
    kubeconfig,
    folder,
    seconds: Number(values.seconds),
    lanes: Number(values.lanes),
    tell: (r) => {
      if (r.state !== 'passed') console.log(`${r.state} ${r.name}\n    ${r.why?.slice(0, 240) ?? ''}`)
    },
  })
  const results = [...all.flatMap((s) => passed.get(s.name) ?? []), ...ran]
  const reasons = readReasons(readFileSync(path.join(import.meta.dirname, 'conformance', 'reasons.txt'), 'utf8'))
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 1)}\n`)
  if (values.write) writeFileSync(path.join(root, 'docs', 'conformance.md'), conformancePage(results, reasons))
  console.log(textTable(countsByGroup(results)))
} finally {
  cluster?.stop()
  rmSync(folder, { recursive: true, force: true })
}
