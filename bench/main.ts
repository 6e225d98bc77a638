/**
 * `npm run bench [-- NAME…]`: measures, as a table. With `--kubeconfig FILE` the measures of an API server run against that one instead, so
 * that another server is measured by the same program; with `--pid PID` beside it, `cpu` counts what that process spends per operation.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { aggregation } from './aggregation.ts'
import { assetsPair, controlPlanes } from './assets.ts'
import { auditCost } from './audit.ts'
import { rememberedTokens } from './authentication.ts'
import { autoscalersAtRest } from './autoscalers.ts'
import { coldDiscovery, memory, running, scheduling, startProcess, startUp, stopProcess, warmCluster } from './cluster-measures.ts'
import { cpuPerOperation } from './cpu-per-op.ts'
import { devices } from './devices.ts'
import { createPods, getPod, listPods, type Measure, patchPods, type Result, watchFanOut } from './measures.ts'
import { pageMeasures } from './page.ts'
import { schedulingShapes } from './scheduling-shapes.ts'
import { snapshots } from './snapshots.ts'
import { streams } from './streams.ts'
import { workloads } from './workloads.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { kubeconfig: { type: 'string' }, pid: { type: 'string' } } })

const ANY_SERVER: Readonly<Record<string, Measure>> = {
  get: getPod,
  create: createPods,
  list: listPods,
  patch: patchPods,
  watch: watchFanOut,
  cpu: cpuPerOperation,
}
const OWN: Readonly<Record<string, () => Promise<Result[]>>> = {
  start: startUp,
  assets: assetsPair,
  planes: controlPlanes,
  snapshots,
  warm: warmCluster,
  memory,
  page: pageMeasures,
  kubectl: coldDiscovery,
  schedule: scheduling,
  shapes: schedulingShapes,
  run: running,
  audit: auditCost,
  autoscale: autoscalersAtRest,
  aggregation,
  authentication: rememberedTokens,
  devices,
  streams,
  workloads,
}

const requested = (name: string) => positionals.length === 0 || positionals.includes(name)

function print(results: readonly Result[]): void {
  for (const r of results) {
    const ratio = r.ratio === undefined ? '' : ` | ${r.ratio.toFixed(1)}×`
    console.log(`| ${r.measure} | ${r.value} | ${r.aim} | ${r.upstream}${ratio === '' ? ' | –' : ratio} |`)
  }
}

console.log('| measure | here | aim | the real one | ratio |\n|---|---|---|---|---|')
if (values.kubeconfig === undefined) for (const [name, run] of Object.entries(OWN)) if (requested(name)) print(await run())
for (const [name, run] of Object.entries(ANY_SERVER)) {
  if (!requested(name)) continue
  if (values.kubeconfig !== undefined) {
    print(await run(values.kubeconfig, Number(values.pid)))
    continue
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-'))
  const started = await startProcess(folder, '--parts', 'server')
  print(await run(started.kubeconfig, started.child.pid))
  await stopProcess(started)
  rmSync(folder, { recursive: true })
}
process.exit(0)
