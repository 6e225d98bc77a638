/**
 * CPU time that a server spends per operation: user and system, from the process's own counters. A busy client cannot hide it, as it hides
 * rates.
 */
import { readFileSync } from 'node:fs'
import { type Api, openApi, pump } from './api.ts'
import { type Measure, namespace, type Result } from './measures.ts'
import { pod } from './objects.ts'

/** The counters of `/proc` go in hundredths of a second. */
const TICK_US = 10_000
const CLIENTS = 64
const WARM = 3_000
const COUNTED = 6_000

interface Operation {
  readonly name: string
  /** Microseconds: what issue 8 wants, and what kube-apiserver and etcd need together. */
  readonly aim: number
  readonly upstream: number
  /** Makes what the operation works on, `count` objects of it; resolves with the operation itself. */
  prepare(api: Api, ns: string, count: number): Promise<(i: number) => Promise<unknown>>
}

const PODS = 200
const round = (i: number) => String(i).padStart(8, '0')
const configMap = (name: string, i = 0) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, annotations: { 'bench/round': round(i) } },
    data: { a: 'y'.repeat(1000) },
  })

async function expect(api: Api, code: number, ...request: Parameters<Api['request']>): Promise<Buffer> {
  const { status, body } = await api.request(...request)
  if (status !== code) throw new Error(`${request[0]} ${request[1]} was answered with ${status}: ${body.toString().slice(0, 300)}`)
  return body
}

async function makePods(api: Api, ns: string, count: number): Promise<Buffer[]> {
  const made: Buffer[] = new Array(count)
  const body = (i: number) => pod(`p-${i}`, { schedulerName: 'nobody', automountServiceAccountToken: false })
  await pump(count, CLIENTS, async (i) => {
    made[i] = await expect(api, 201, 'POST', `${ns}/pods`, body(i))
  })
  return made
}

const patching = (type: string, subresource: string, body: (i: number) => object): Operation['prepare'] => {
  return async (api, ns) => {
    await makePods(api, ns, PODS)
    return (i) => expect(api, 200, 'PATCH', `${ns}/pods/p-${i % PODS}${subresource}`, JSON.stringify(body(i)), type)
  }
}

const OPERATIONS: readonly Operation[] = [
  {
    name: 'GET a pod',
    aim: 45,
    upstream: 671,
    async prepare(api, ns) {
      await makePods(api, ns, PODS)
      return (i) => expect(api, 200, 'GET', `${ns}/pods/p-${i % PODS}`)
    },
  },
  {
    name: 'create a pod',
    aim: 220,
    upstream: 2085,
    async prepare(api, ns) {
      const body = (i: number) => pod(`c-${i}`, { schedulerName: 'nobody', automountServiceAccountToken: false })
      return (i) => expect(api, 201, 'POST', `${ns}/pods`, body(i))
    },
  },
  {
    name: 'create a config map',
    aim: 130,
    upstream: 1509,
    prepare: async (api, ns) => (i) => expect(api, 201, 'POST', `${ns}/configmaps`, configMap(`c-${i}`)),
  },
  {
    name: 'update a pod',
    aim: 250,
    upstream: 2999,
    async prepare(api, ns) {
      const last = await makePods(api, ns, PODS)
      return async (i) => {
        const at = i % PODS
        const read = JSON.parse(last[at]?.toString() ?? '') as { metadata: { annotations?: object } }
        const metadata = { ...read.metadata, annotations: { 'bench/round': round(i) } }
        last[at] = await expect(api, 200, 'PUT', `${ns}/pods/p-${at}`, JSON.stringify({ ...read, metadata }))
      }
    },
  },
  {
    name: 'merge patch of a pod',
    aim: 250,
    upstream: 3575,
    prepare: patching('application/merge-patch+json', '', (i) => ({ metadata: { annotations: { 'bench/round': round(i) } } })),
  },
  {
    name: "strategic patch of a pod's status",
    aim: 250,
    upstream: 3907,
    prepare: patching('application/strategic-merge-patch+json', '/status', (i) => ({
      status: { conditions: [{ type: 'Ready', status: 'True', message: round(i) }] },
    })),
  },
  {
    name: 'apply of a config map',
    aim: 150,
    upstream: 1805,
    prepare: async (api, ns) => (i) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `a-${i % PODS}` }, data: { i: round(i) } }
      const path = `${ns}/configmaps/a-${i % PODS}?fieldManager=bench&force=true`
      return api.request('PATCH', path, JSON.stringify(body), 'application/apply-patch+yaml')
    },
  },
  {
    name: 'delete a pod at once',
    aim: 80,
    upstream: 2069,
    async prepare(api, ns, count) {
      await makePods(api, ns, count)
      return (i) => expect(api, 200, 'DELETE', `${ns}/pods/p-${i}?gracePeriodSeconds=0`)
    },
  },
]

/** What every operation costs the server whose process this is. */
export const cpuPerOperation: Measure = async (kubeconfig, pid) => {
  if (pid === undefined || Number.isNaN(pid)) throw new Error("cpu asks for the server's process: --pid PID")
  using api = await openApi(kubeconfig, 8)
  const results: Result[] = []
  for (const [n, operation] of OPERATIONS.entries()) {
    const ns = await namespace(api, `bench-cpu-${Date.now().toString(36)}-${n}`)
    const run = await operation.prepare(api, ns, WARM + COUNTED)
    await pump(WARM, CLIENTS, run)
    const before = cpuUs(pid)
    // A client that keeps its place in line: writers of one object do not overtake each other.
    await pump(COUNTED, CLIENTS, (i) => run(WARM + i))
    const us = (cpuUs(pid) - before) / COUNTED
    results.push({
      measure: `CPU of the server: ${operation.name}`,
      value: `${Math.round(us)} µs`,
      aim: `≤ ${operation.aim} µs`,
      upstream: `${operation.upstream.toLocaleString('en')} µs`,
      ratio: operation.upstream / us,
    })
  }
  return results
}

/** User and system time of all threads of a process, in microseconds. */
export function cpuUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** What a process holds of the machine's memory. */
export function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}
