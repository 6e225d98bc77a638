/**
 * `node bench/operator-bugs.ts [--seeds 20] [PATTERN]`: searches each stand-in with a known mistake (those whose id matches), and the
 * mended one with each seed. Prints a row each: by what it was found, and in how many searches the mended one had no fault. Fails if not
 * all do.
 */
import { parseArgs } from 'node:util'
import { searchOperator } from '../src/testing/operator-search/search-operator.ts'
import { KNOWN_MISTAKES } from '../test/operators/operator-search/known-mistakes.ts'
import type { KnownMistake } from '../test/operators/operator-search/published-bugs.ts'

const { values, positionals } = parseArgs({ options: { seeds: { type: 'string', default: '20' } }, allowPositionals: true })
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => i + 1)
const pattern = new RegExp(positionals[0] ?? '')

/** What was found, as `HARM, FAULT: SYMPTOM`, and in how many clusters. */
async function search({ operator, install, sample }: KnownMistake, { mended, seed }: { readonly mended: boolean; readonly seed: number }) {
  const report = await searchOperator({ operator: operator(mended), install, samples: [sample], explore: true, seed })
  const found = report.findings.flatMap(({ harm, fault, symptoms }) =>
    symptoms.map(({ text }) => `${harm}, ${fault?.kind ?? 'no fault'}: ${text}`),
  )
  return { found, runs: report.runs }
}

let failed = false
console.log('| mistake | found by | clusters | mended: no fault |\n|---|---|---|---|')
for (const mistake of KNOWN_MISTAKES.filter(({ id }) => pattern.test(id))) {
  const { found, runs } = await search(mistake, { mended: false, seed: 1 })
  const symptom = found.find((text) => mistake.found.test(text))
  const reports: string[] = []
  let clean = 0
  for (const seed of seeds) {
    const { found: wrong } = await search(mistake, { mended: true, seed })
    if (wrong.length === 0) clean++
    else reports.push(`seed ${seed}: ${wrong.join('; ')}`)
  }
  failed ||= symptom === undefined || clean < seeds.length
  console.log(
    `| ${mistake.id} | ${symptom ?? `not found, but: ${found.join('; ') || 'nothing'}`} | ${runs} | ${clean} of ${seeds.length} |`,
  )
  for (const line of reports) console.log(`  ${line}`)
}
process.exitCode = failed ? 1 : 0
