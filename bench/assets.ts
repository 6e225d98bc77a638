/**
 * What envtest does with `bowsprit assets`, measured: Start and Stop of etcd and kube-apiserver; beside the real pair where `REAL_ASSETS`
 * (or /tmp/oracle/bin) holds it, in turns.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { writeAssets } from '../src/cli/assets/write-assets.ts'
import { askEtcd, envtestHouse, type Program, type Reply, twoPorts } from '../test/envtest/envtest-pair.ts'
import { percentile } from './api.ts'
import type { Result } from './measures.ts'

const ROUNDS = 10
const AT_ONCE = 5
/** As envtest asks whether a program is ready. */
const POLL_MS = 100
const WAIT_MS = 120_000
const built = path.join(import.meta.dirname, '..', 'dist', 'bowsprit.js')
const real = process.env.REAL_ASSETS ?? path.join(os.tmpdir(), 'oracle', 'bin')

type House = ReturnType<typeof envtestHouse>

interface Pair {
  readonly etcd: Program
  readonly apiServer: Program
}

export async function assetsPair(): Promise<Result[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-'))
  using here = envtestHouse(laidDown(path.join(folder, 'assets')))
  using there = existsSync(path.join(real, 'kube-apiserver')) ? envtestHouse(real) : undefined
  const own = { starts: [] as number[], stops: [] as number[] }
  const other = { starts: [] as number[], stops: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    await startAndStop(here, `data-${round}`, own)
    if (there !== undefined) await startAndStop(there, `data-${round}`, other)
  }
  const ownMany = await manyAtOnce(here)
  const otherMany = there === undefined ? undefined : await manyAtOnce(there)
  rmSync(folder, { recursive: true })
  return [
    compared(`envtest's Start, ${ROUNDS} one after the other, median`, '≤ 350 ms', 'ms', percentile(own.starts, 0.5), median(other.starts)),
    compared('… slowest', '–', 'ms', Math.max(...own.starts), other.starts.length === 0 ? undefined : Math.max(...other.starts)),
    compared("envtest's Stop, median", '≤ 100 ms', 'ms', percentile(own.stops, 0.5), median(other.stops)),
    compared(`${AT_ONCE} control planes at once, all ready`, '–', 'ms', ownMany.ms, otherMany?.ms),
    compared('… memory of one of them (PSS)', '≤ 125 MiB', 'MiB', ownMany.mib, otherMany?.mib),
  ]
}

const ONE_AFTER_THE_OTHER = 100
const SIDE_BY_SIDE = 20

/** What a day of suites does to a machine: a hundred control planes one after the other, and twenty at once. */
export async function controlPlanes(): Promise<Result[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-'))
  using house = envtestHouse(laidDown(path.join(folder, 'assets')))
  const begun = performance.now()
  const into = { starts: [] as number[], stops: [] as number[] }
  for (let round = 0; round < ONE_AFTER_THE_OTHER; round++) await startAndStop(house, `data-${round}`, into)
  const seconds = (performance.now() - begun) / 1000
  const { ms, mib } = await manyAtOnce(house, SIDE_BY_SIDE)
  rmSync(folder, { recursive: true })
  return [
    {
      measure: `${ONE_AFTER_THE_OTHER} control planes, one after the other`,
      aim: '≤ 40 s',
      value: `${seconds.toFixed(1)} s`,
      upstream: '–',
    },
    compared(`${SIDE_BY_SIDE} at once, all ready`, '–', 'ms', ms, undefined),
    compared('… memory of all (PSS)', '≤ 2,500 MiB', 'MiB', mib * SIDE_BY_SIDE, undefined),
  ]
}

/** The built package's programs where there are any, else the sources where they are. */
function laidDown(folder: string): string {
  if (!existsSync(built)) return writeAssets({ folder, kubectl: undefined })
  return execFileSync(process.execPath, [built, 'assets', folder], { encoding: 'utf8' }).trim()
}

async function startAndStop(house: House, dataDir: string, into: { readonly starts: number[]; readonly stops: number[] }): Promise<void> {
  const begun = performance.now()
  const pair = await start(house, dataDir)
  into.starts.push(performance.now() - begun)
  into.stops.push(await stop(pair))
}

async function manyAtOnce(house: House, count = AT_ONCE): Promise<{ readonly ms: number; readonly mib: number }> {
  const begun = performance.now()
  const pairs = await Promise.all(Array.from({ length: count }, (_, i) => start(house, `beside-${i}`)))
  const ms = performance.now() - begun
  const kib = pairs.flatMap(({ etcd, apiServer }) => [etcd, apiServer]).reduce((sum, { child }) => sum + pssKib(child.pid ?? 0), 0)
  for (const pair of pairs) await stop(pair)
  return { ms, mib: kib / 1024 / count }
}

/** In envtest's order: what each program can do, etcd until it is well, the server until it is well, a namespace as the administrator. */
async function start(house: House, dataDir: string): Promise<Pair> {
  const [port, etcdPort] = await twoPorts()
  await house.start('etcd', ['--help']).ended
  const etcd = house.etcd(etcdPort, dataDir)
  await poll(etcd, () => askEtcd(etcdPort, '/health'))
  await house.start('kube-apiserver', ['--help']).ended
  const apiServer = house.apiServer(port, etcdPort)
  await poll(apiServer, () => house.ask(port, '/healthz'))
  await poll(apiServer, () => house.ask(port, '/api/v1/namespaces/default'))
  return { etcd, apiServer }
}

async function poll({ child, said }: Program, ask: () => Promise<Reply>): Promise<void> {
  const until = performance.now() + WAIT_MS
  while (performance.now() < until && child.exitCode === null) {
    const code = await ask().then(
      (reply) => reply.code,
      () => 0,
    )
    if (code === 200) return
    await systemClock.sleep(POLL_MS)
  }
  throw new Error(`a program did not become ready: ${said().slice(-2000)}`)
}

async function stop({ etcd, apiServer }: Pair): Promise<number> {
  const begun = performance.now()
  for (const { child } of [apiServer, etcd]) {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await exit
  }
  return performance.now() - begun
}

/** Memory of a process, where what is shared with others counts in parts. */
const pssKib = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)

const median = (values: readonly number[]): number | undefined => (values.length === 0 ? undefined : percentile(values, 0.5))

function compared(measure: string, aim: string, unit: string, own: number, other: number | undefined): Result {
  const text = (n: number) => `${Math.round(n).toLocaleString('en')} ${unit}`
  const row = { measure, aim, value: text(own), upstream: other === undefined ? '–' : text(other) }
  return other === undefined ? row : { ...row, ratio: other / own }
}
