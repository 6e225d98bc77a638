/** What the audit log costs: CPU of the server per operation, with and without it, side by side in one run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openApi, pump } from './api.ts'
import { startProcess, stopProcess } from './cluster-measures.ts'
import { cpuUs } from './cpu-per-op.ts'
import { namespace, type Result } from './measures.ts'

const CLIENTS = 64
const WARM = 3_000
const COUNTED = 10_000

interface Costs {
  readonly get: number
  readonly create: number
}

/** Microseconds an operation. `level` undefined: nothing is written down. */
async function costs(level: string | undefined): Promise<Costs> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-audit-'))
  const policy = path.join(folder, 'policy.json')
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitManagedFields: true, rules: [{ level }] }))
  const audit = level === undefined ? [] : ['--audit-log', path.join(folder, 'audit.jsonl'), '--audit-policy', policy]
  const started = await startProcess(folder, '--parts', 'server', ...audit)
  const { pid } = started.child
  if (pid === undefined) throw new Error('the server has no process')
  using api = await openApi(started.kubeconfig, 8)
  const ns = await namespace(api, 'bench-audit')
  const map = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'y'.repeat(1000) } })
  const measured = async (run: (i: number) => Promise<unknown>) => {
    await pump(WARM, CLIENTS, run)
    const before = cpuUs(pid)
    await pump(COUNTED, CLIENTS, (i) => run(WARM + i))
    return (cpuUs(pid) - before) / COUNTED
  }
  const create = await measured((i) => api.request('POST', `${ns}/configmaps`, map(`c-${i}`)))
  const get = await measured((i) => api.request('GET', `${ns}/configmaps/c-${i % 1000}`))
  await stopProcess(started)
  rmSync(folder, { recursive: true })
  return { get, create }
}

export async function auditCost(): Promise<Result[]> {
  const none = await costs(undefined)
  const results: Result[] = []
  for (const level of ['Metadata', 'RequestResponse']) {
    const with_ = await costs(level)
    const share = (name: keyof Costs) =>
      `${name} ${Math.round(with_[name])} µs, without ${Math.round(none[name])} µs (+${Math.round((with_[name] / none[name] - 1) * 100)} %)`
    results.push({
      measure: `CPU of the server with audit at ${level}`,
      value: `${share('get')}; ${share('create')}`,
      aim: '–',
      upstream: '–',
    })
  }
  return results
}
