/** Decisions of the scheduler's core, without a server, in CPU time of this process: `node bench/scheduler-core.ts [nodes] [pods]`. */
import { seededRandom } from '../src/base/random.ts'
import type { Node, Pod } from '../src/resources/types/core.ts'
import { NodeTable } from '../src/scheduler/cache/node-table.ts'
import { podInfo } from '../src/scheduler/cache/pod-info.ts'
import { profilesOf } from '../src/scheduler/config/configuration.ts'
import { decideNow } from '../src/scheduler/framework/decide-now.ts'
import { NO_OBJECTS } from '../src/scheduler/framework/listers.double.ts'
import { Profile } from '../src/scheduler/framework/profile.ts'

const nodeCount = Number(process.argv[2] ?? 5000)
const podCount = Number(process.argv[3] ?? 20_000)

const nodes: Node[] = Array.from({ length: nodeCount }, (_, i) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${i}`, labels: { 'kubernetes.io/hostname': `n${i}`, 'topology.kubernetes.io/zone': `z${i % 3}` } },
  status: { allocatable: { cpu: '64', memory: '256Gi', pods: '250', ...(i % 10 === 0 ? { 'example.com/dongle': '8' } : {}) } },
}))

type Shape = (i: number) => Partial<Pod['spec']>

const cases: Readonly<Record<string, Shape>> = {
  'one shape': () => ({ containers: [{ name: 'c', resources: { requests: { cpu: '100m', memory: '128Mi' } } }] }),
  '100 shapes': (i) => ({ containers: [{ name: 'c', resources: { requests: { cpu: `${100 + (i % 100)}m`, memory: '128Mi' } } }] }),
  'every pod another shape': (i) => ({ containers: [{ name: 'c', resources: { requests: { cpu: `${100 + i}m`, memory: '128Mi' } } }] }),
  'extended resource': () => ({
    containers: [{ name: 'c', resources: { requests: { 'example.com/dongle': '1' }, limits: { 'example.com/dongle': '1' } } }],
  }),
  'spread over zones': () => ({
    containers: [{ name: 'c' }],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'a' } },
      },
    ],
  }),
  'anti-affinity by host': () => ({
    containers: [{ name: 'c' }],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'a' } } },
        ],
      },
    },
  }),
}

const cpuMs = () => process.cpuUsage().user / 1000

console.log(`${nodeCount} nodes`)
for (const [name, spec] of Object.entries(cases)) {
  const random = seededRandom(1)
  const table = new NodeTable()
  for (const node of nodes) table.setNode(node)
  const context = { table, listers: NO_OBJECTS }
  const [plugins] = profilesOf({}, { random })
  if (plugins === undefined) throw new Error('there is always a default profile')
  const profile = new Profile(plugins, context)
  const options = { random, hasNominations: () => false, nominatedOn: () => [], keepScores: false }
  const count = Math.min(podCount, name === 'extended resource' ? (nodeCount / 10) * 8 : name.startsWith('anti') ? nodeCount : podCount)
  const infos = Array.from({ length: count }, (_, i) =>
    podInfo({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${i}`, namespace: 'default', uid: `u${i}`, labels: { app: 'a' } },
      spec: { containers: [], ...spec(i) },
    }),
  )
  let placed = 0
  const started = cpuMs()
  for (const info of infos) {
    const decision = decideNow(profile, info, options)
    if (decision.kind === 'placed') {
      table.addPod(info, decision.node)
      placed++
    }
    if (cpuMs() - started > 5000) break
  }
  const ms = cpuMs() - started
  console.log(
    `${name.padEnd(26)} ${((ms * 1000) / placed).toFixed(1).padStart(8)} µs a decision  ${Math.round((placed * 1000) / ms)
      .toString()
      .padStart(8)}/s  (${placed} placed)`,
  )
}
