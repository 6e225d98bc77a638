/** Pods from created to bound over the API on 5,000 nodes, in the shapes of Kubernetes' scheduler_perf. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { type Api, openApi, pump } from './api.ts'
import { startProcess, stopProcess, until } from './cluster-measures.ts'
import { namespace, type Result } from './measures.ts'
import { pod } from './objects.ts'

const NODES = 5000
const LABELS = { app: 'bench' }
const BESIDE = 64

interface Shape {
  readonly measure: string
  readonly aim: string
  /** Of kube-scheduler beside its API server, on this machine. */
  readonly upstream?: number
  readonly pods: number
  readonly spec: Readonly<Record<string, unknown>>
  /** Pods that are there before: victims. */
  readonly before?: { readonly pods: number; readonly spec: Readonly<Record<string, unknown>> }
}

const asking = (requests: Readonly<Record<string, string>>) => ({
  containers: [{ name: 'main', image: 'registry.example/app:1.2.3', resources: { requests, limits: requests } }],
})

const SHAPES: readonly Shape[] = [
  { measure: 'basic', aim: '≥ 4,000/s', upstream: 398, pods: 10_000, spec: {} },
  { measure: 'extended resource', aim: '≥ 4,000/s', upstream: 326, pods: 10_000, spec: asking({ 'example.com/dongle': '1' }) },
  {
    measure: 'spread over zones',
    aim: '≥ 2,000/s',
    upstream: 151,
    pods: 5000,
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 5,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: LABELS },
        },
      ],
    },
  },
  {
    measure: 'anti-affinity by host',
    aim: '≥ 2,000/s',
    pods: 4000,
    spec: {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: LABELS } },
          ],
        },
      },
    },
  },
  {
    measure: 'preemption',
    aim: '≥ 1,500/s',
    pods: 2000,
    spec: { ...asking({ cpu: '20' }), priorityClassName: 'system-node-critical' },
    before: { pods: NODES, spec: { ...asking({ cpu: '30' }), terminationGracePeriodSeconds: 0 } },
  },
]

async function addNodes(api: Api): Promise<void> {
  const amounts = { cpu: '32', memory: '128Gi', pods: '110', 'example.com/dongle': '4' }
  const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] }
  const nodeOf = (i: number) => {
    const labels = { 'kubernetes.io/hostname': `n-${i}`, 'topology.kubernetes.io/zone': `z-${i % 10}` }
    return JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n-${i}`, labels }, status })
  }
  await pump(NODES, BESIDE, (i) => api.request('POST', '/api/v1/nodes', nodeOf(i)))
  // What controllers would do: take the taint away that new nodes have.
  await pump(NODES, BESIDE, (i) => api.request('PATCH', `/api/v1/nodes/n-${i}`, '{"spec":{"taints":null}}', 'application/merge-patch+json'))
}

/** Created → bound, per second. */
async function rateOf(shape: Shape, flags: readonly string[]): Promise<number> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-'))
  const started = await startProcess(folder, '--parts', 'server,scheduler', ...flags)
  using api = await openApi(started.kubeconfig, 4)
  await addNodes(api)
  const place = async (name: string, count: number, spec: Shape['spec']) => {
    const ns = await namespace(api, name)
    return until(started.kubeconfig, ns, '"nodeName":"', count, async () => {
      await pump(count, BESIDE, (i) => api.request('POST', `${ns}/pods`, pod(`p-${i}`, spec)))
    })
  }
  if (shape.before !== undefined) await place('before', shape.before.pods, shape.before.spec)
  const ms = await place('bench', shape.pods, shape.spec)
  await stopProcess(started)
  rmSync(folder, { recursive: true })
  return Math.round((shape.pods / ms) * 1000)
}

const row = ({ measure, aim, upstream }: Pick<Shape, 'measure' | 'aim' | 'upstream'>, rate: number): Result => ({
  measure: `pods created → bound, 5,000 nodes: ${measure}`,
  value: `${rate.toLocaleString('en')}/s`,
  aim,
  upstream: upstream === undefined ? '–' : `${upstream}/s`,
  ...(upstream !== undefined && { ratio: rate / upstream }),
})

/** An extender on this machine that lets every node pass and answers after a millisecond. */
async function withExtender<T>(work: (config: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { NodeNames } = JSON.parse(Buffer.concat(parts).toString()) as { NodeNames?: readonly string[] }
      setTimeout(() => response.end(JSON.stringify({ NodeNames })), 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-extender-'))
  const config = path.join(folder, 'scheduler.json')
  const extenders = [{ urlPrefix: `http://127.0.0.1:${port}`, filterVerb: 'filter', nodeCacheCapable: true }]
  writeFileSync(config, JSON.stringify({ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', extenders }))
  try {
    return await work(config)
  } finally {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
}

/** All shapes, each on a cluster of its own. */
export async function schedulingShapes(): Promise<Result[]> {
  const results: Result[] = []
  for (const shape of SHAPES) results.push(row(shape, await rateOf(shape, [])))
  const slow: Shape = { measure: 'an extender of 1 ms that takes names', aim: '≥ 500/s', pods: 1000, spec: {} }
  results.push(row(slow, await withExtender((config) => rateOf(slow, ['--scheduler-config', config]))))
  return results
}
