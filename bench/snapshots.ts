/** What it costs to begin with the state of another cluster: a fork in this process, a saved file, a process that begins with one. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Cluster } from '../src/cluster/cluster.ts'
import { startCluster } from '../src/cluster/start-cluster.ts'
import { configMap } from '../src/testing/builders.ts'
import { percentile } from './api.ts'
import { startProcess, stopProcess } from './cluster-measures.ts'
import type { Result } from './measures.ts'

const ROUNDS = 20
const STARTS = 5
const MANY = 10_000
const AT_ONCE = 250

/** Forks, saves and starts, of a cluster with hardly anything in it and of one with many objects. */
export async function snapshots(): Promise<Result[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-'))
  await using cluster = await startCluster({ ephemeral: true }, { quiet: true })
  const few = await measured(cluster, path.join(folder, 'few'))
  const client = cluster.client()
  const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
  const create = (i: number) => client.create(configMaps, configMap(`m-${i}`, { colour: 'blue' }))
  for (let i = 0; i < MANY; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, j) => create(i + j)))
  const many = await measured(cluster, path.join(folder, 'many'))
  rmSync(folder, { recursive: true })
  const row = (measure: string, aim: string, value: string): Result => ({ measure, aim, value, upstream: '–' })
  return [
    ['a cluster that has just started', few] as const,
    [`… and has ${MANY.toLocaleString('en')} more objects`, many] as const,
  ].flatMap(([name, { forkMs, saveMs, kib, upMs }]) => [
    row(`fork of ${name}, median of ${ROUNDS}`, '≤ 10 ms', `${forkMs.toFixed(1)} ms`),
    row('… save', '–', `${saveMs.toFixed(0)} ms, ${Math.round(kib).toLocaleString('en')} KiB`),
    row('… bowsprit up --from, to its first answer', '–', `${upMs.toFixed(0)} ms`),
  ])
}

async function measured(cluster: Cluster, file: string) {
  const forks: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const begun = performance.now()
    const fork = await cluster.fork()
    forks.push(performance.now() - begun)
    await fork[Symbol.asyncDispose]()
  }
  const begun = performance.now()
  await cluster.save(file)
  const saveMs = performance.now() - begun
  const ups: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const started = await startProcess(path.dirname(file), '--ephemeral', '--from', file)
    ups.push(started.ms)
    await stopProcess(started)
  }
  return { forkMs: percentile(forks, 0.5), saveMs, kib: statSync(file).size / 1024, upMs: percentile(ups, 0.5) }
}
