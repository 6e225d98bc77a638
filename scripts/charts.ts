/**
 * `npm run charts -- --sources DIR [NAME…]`: other people's charts, as they lie in checkouts, installed by helm into a cluster of their own
 * each, tested, upgraded, rolled
 * back and uninstalled, with their hooks; writes what came of it into docs/charts.md. `--all`: every chart below the folder, printed and
 * not written down.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { CHARTS, type OthersChart } from './charts/charts.ts'
import { findCharts, readAbout } from './charts/find-charts.ts'
import { indexCharts, layOut } from './charts/lay-out.ts'
import { rowOf, summaryOf } from './charts/row.ts'
import { tryChart } from './charts/try-chart.ts'
import { withRow } from './peers/table.ts'

const page = path.join(import.meta.dirname, '..', 'docs', 'charts.md')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sources: { type: 'string' }, all: { type: 'boolean' }, timeout: { type: 'string', default: '90' } },
})
if (values.sources === undefined) {
  console.error(
    'usage: npm run charts -- --sources DIR [--all] [--timeout SECONDS] [NAME…]\nDIR holds checkouts, each in a folder OWNER+NAME',
  )
  process.exit(2)
}
const sources = path.resolve(values.sources)
const charts: readonly OthersChart[] = values.all ? findCharts(sources).map((at) => ({ name: at, at })) : CHARTS
const work = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-charts-'))
const index = indexCharts(sources)
for (const chart of charts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const from = path.join(sources, chart.at)
  if (!existsSync(path.join(from, 'Chart.yaml'))) {
    console.log(`${chart.name}: not run: ${chart.at} is not in ${sources}`)
    continue
  }
  const to = path.join(work, 'chart')
  const missing = layOut(from, to, index)
  const trial = await tryChart(to, { timeoutSeconds: Number(values.timeout), ...chart })
  console.log(summaryOf(chart, trial, missing))
  const version = String(readAbout(to)?.version ?? '')
  if (!values.all) writeFileSync(page, withRow(readFileSync(page, 'utf8'), chart.name, rowOf(chart, { trial, version, missing })))
  if (trial.failed !== undefined) process.exitCode = 1
}
rmSync(work, { recursive: true, force: true })
