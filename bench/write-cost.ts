/**
 * `node bench/write-cost.ts [--rounds N] [--root TREE] [--trails] [--profile FILE] [--allocations FILE]`: what the API server spends on
 * each write of a pod's way (create, binding, status, event, lease), in microseconds and in bytes that it allocates: in process, no HTTP,
 * no disk. Bytes do not hang on what else the machine does; times are the 5th percentile of many batches. `--root` measures another tree;
 * `--profile` and `--allocations` write what the inspector saw; `--trails` records what happens to each request.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { percentile } from './api.ts'
import { pod } from './objects.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '150' },
    warm: { type: 'string', default: '60' },
    root: { type: 'string', default: path.join(import.meta.dirname, '..') },
    profile: { type: 'string' },
    allocations: { type: 'string' },
    only: { type: 'string', default: '' },
    trails: { type: 'boolean', default: false },
  },
})

// Between two batches nothing may be collected, or their difference says nothing.
const ROOM = '--min-semi-space-size=128'
if (!process.execArgv.includes(ROOM)) {
  const flags = ['--expose-gc', ROOM, '--max-semi-space-size=128', '--disable-warning=ExperimentalWarning']
  const { status } = spawnSync(process.execPath, [...flags, import.meta.filename, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}

const BATCH = 25
const { startCluster } = (await import(
  path.join(values.root, 'src/cluster/start-cluster.ts')
)) as typeof import('../src/cluster/start-cluster.ts')
await using cluster = await startCluster({ ephemeral: true, parts: ['server'], trails: values.trails }, { quiet: true })
const admin = cluster.client()
const scheduler = cluster.client({ name: 'system:kube-scheduler', groups: ['system:authenticated'] })
const agent = cluster.client({ name: 'system:node:node-1', groups: ['system:nodes', 'system:authenticated'] })
const core = { group: '', version: 'v1' }
const pods = { ...core, resource: 'pods', namespace: 'default' }
const events = { ...core, resource: 'events', namespace: 'default' }
const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace: 'kube-node-lease' }

const amounts = { cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '100Gi' }
await admin.create(
  { ...core, resource: 'serviceaccounts', namespace: 'default' },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  },
)
await agent.create(
  { ...core, resource: 'nodes' },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1' },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
  },
)
for (let k = 0; k < BATCH; k++)
  await admin.create(leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: `node-${k}`, namespace: 'kube-node-lease' },
    spec: { holderIdentity: `node-${k}`, leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
  })

const uids: string[] = []
const at = (i: number) => `2026-01-01T00:${String(Math.floor(i / 60) % 60).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}Z`

function status(i: number) {
  const now = at(i)
  const ready = (type: string) => ({
    reason: null,
    message: null,
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
    observedGeneration: 1,
  })
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']
  const ip = `10.1.${(i >> 8) % 256}.${i % 256}`
  return {
    metadata: { uid: uids[i] ?? '' },
    status: {
      observedGeneration: 1,
      phase: 'Running',
      hostIP: '10.0.0.1',
      hostIPs: [{ $patch: 'replace' }, { ip: '10.0.0.1' }],
      podIP: ip,
      podIPs: [{ $patch: 'replace' }, { ip }],
      startTime: now,
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: now } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'registry.example/app:1.2.3',
          imageID: 'registry.example/app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
          containerID: `containerd://${String(i).padStart(64, '0')}`,
          started: true,
          allocatedResources: { cpu: '10m', memory: '16Mi' },
          resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '32Mi' } },
          volumeMounts: [
            {
              name: 'kube-api-access-abcde',
              mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
              readOnly: true,
              recursiveReadOnly: 'Disabled',
            },
          ],
          user: { linux: { uid: 0, gid: 0, supplementalGroups: [0] } },
        },
      ],
      conditions: types.slice(0, 4).map(ready),
      '$setElementOrder/conditions': types.map((type) => ({ type })),
    },
  }
}

const event = (i: number, n: number) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `p-${i}.${n}.17f0c0ffee`, namespace: 'default' },
  involvedObject: {
    kind: 'Pod',
    namespace: 'default',
    name: `p-${i}`,
    uid: uids[i] ?? '',
    apiVersion: 'v1',
    resourceVersion: '77',
    fieldPath: 'spec.containers{main}',
  },
  reason: 'Started',
  message: 'Container started',
  source: { component: 'kubelet', host: 'node-1' },
  firstTimestamp: at(i),
  lastTimestamp: at(i),
  count: 1,
  type: 'Normal',
  reportingComponent: 'kubelet',
  reportingInstance: 'node-1',
})

const all: Readonly<Record<string, (i: number) => Promise<unknown>>> = {
  create: async (i) => {
    uids[i] = (await admin.create(pods, JSON.parse(pod(`p-${i}`)))).metadata.uid ?? ''
  },
  bind: (i) =>
    scheduler.create(
      { ...pods, name: `p-${i}`, subresource: 'binding' },
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: `p-${i}`, namespace: 'default', uid: uids[i] ?? '' },
        target: { kind: 'Node', name: 'node-1' },
      },
    ),
  status: (i) => agent.patch({ ...pods, name: `p-${i}`, subresource: 'status' }, 'strategic', status(i)),
  event: (i) => agent.create(events, event(i, 1)),
  lease: (i) =>
    admin.patch({ ...leases, name: `node-${i % BATCH}` }, 'merge', {
      spec: { renewTime: at(i).replace('Z', `.${String(i).padStart(6, '0')}Z`) },
    }),
}

const only = values.only.split(',').filter((name) => name !== '')
/** Most need a pod. */
const NEED_NO_POD = ['event', 'lease']
const writes = Object.fromEntries(
  Object.entries(all).filter(
    ([name]) => only.length === 0 || only.includes(name) || (name === 'create' && !NEED_NO_POD.includes(only.join())),
  ),
)

const times: Record<string, number[]> = {}
const bytes: Record<string, number[]> = {}
/** One turn after the other, so that all see the same machine. */
async function round(n: number, counted: boolean): Promise<void> {
  for (const [name, write] of Object.entries(writes)) {
    const started = process.memoryUsage().heapUsed
    const begun = performance.now()
    await Promise.all(Array.from({ length: BATCH }, (_, k) => write(n * BATCH + k)))
    const took = performance.now() - begun
    const allocated = process.memoryUsage().heapUsed - started
    if (!counted) continue
    times[name] = [...(times[name] ?? []), (took * 1000) / BATCH]
    bytes[name] = [...(bytes[name] ?? []), allocated / BATCH]
  }
}

const [warm, rounds] = [Number(values.warm), Number(values.rounds)]
for (let n = 0; n < warm; n++) await round(n, false)
const session = new Session()
session.connect()
if (values.profile !== undefined) {
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
}
if (values.allocations !== undefined)
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 4096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
for (let n = warm; n < warm + rounds; n++) {
  globalThis.gc?.({ type: 'minor' })
  await round(n, true)
}
if (values.profile !== undefined) writeFileSync(values.profile, JSON.stringify((await session.post('Profiler.stop')).profile))
if (values.allocations !== undefined)
  writeFileSync(values.allocations, JSON.stringify((await session.post('HeapProfiler.stopSampling')).profile))
for (const name of Object.keys(writes)) {
  const us = percentile(times[name] ?? [], 0.05)
  const kb = percentile(bytes[name] ?? [], 0.2) / 1000
  console.log(`${name.padEnd(8)} ${us.toFixed(1).padStart(7)} µs ${kb.toFixed(1).padStart(7)} KB`)
}
