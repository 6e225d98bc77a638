import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Container, Node, NodeSpec, NodeStatus, Pod, PodSpec } from '../../resources/types/core.ts'
import { NodeTable } from '../cache/node-table.ts'
import { podInfo } from '../cache/pod-info.ts'
import { listersOver } from '../framework/listers.double.ts'
import type { Plugin, PluginFactory } from '../framework/plugin.ts'
import type { PluginContext } from '../framework/prepared.ts'

/** `cpu=2 memory=1Gi` as amounts, `a=x b` as labels. */
export function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(' ')
      .filter((word) => word !== '')
      .map((word): [string, string] => [word.split('=')[0] ?? '', word.split('=').slice(1).join('=')]),
  )
}

export interface NodeParts {
  readonly labels?: string
  readonly allocatable?: string
  readonly spec?: NodeSpec
  readonly status?: NodeStatus
}

/** A node; without `allocatable` it has 4 processors, 8Gi and room for 110 pods. */
export const node = (
  name: string,
  { labels = '', allocatable = 'cpu=4 memory=8Gi pods=110', spec = {}, status = {} }: NodeParts = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...pairs(labels) } },
  spec,
  status: { allocatable: pairs(allocatable), ...status },
})

export interface PodParts {
  readonly labels?: string
  /** Of its one container. */
  readonly requests?: string
  readonly container?: Partial<Container>
  readonly spec?: Partial<PodSpec>
  readonly on?: string
  readonly namespace?: string
  readonly metadata?: Partial<Pod['metadata']>
  readonly status?: Pod['status']
}

export const pod = (
  name: string,
  { labels = '', requests = '', container, spec, on, namespace = 'default', metadata, status }: PodParts = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, uid: `uid-of-${name}`, labels: pairs(labels), ...metadata },
  spec: {
    containers: [{ name: 'c', image: 'app', resources: { requests: pairs(requests) }, ...container }],
    ...spec,
    ...(on === undefined ? {} : { nodeName: on }),
  },
  ...(status === undefined ? {} : { status }),
})

export interface ClusterParts {
  readonly nodes: readonly Node[]
  /** Pods that are placed; `on` names their node. */
  readonly placed?: readonly Pod[]
  /** Other objects by resource. */
  readonly objects?: Readonly<Record<string, readonly KubeObject[]>>
}

export function clusterOf({ nodes, placed = [], objects = {} }: ClusterParts): PluginContext {
  const table = new NodeTable()
  for (const one of nodes) table.setNode(one)
  for (const one of placed) table.addPod(podInfo(one), one.spec.nodeName ?? '')
  return { table, listers: listersOver((resource) => (resource === 'nodes' ? nodes : (objects[resource] ?? []))) }
}

export const pluginOf = (factory: PluginFactory, args: Readonly<Record<string, unknown>> = {}): Plugin =>
  factory(args, { random: seededRandom(1) })

/** `n1: fits, n2: Insufficient cpu`; `!` marks a verdict that preemption cannot help. */
export function verdictsOf(plugin: Plugin, incoming: Pod, context: PluginContext): string {
  const filter = plugin.filter?.(podInfo(incoming), context)
  const shown = (row: number) => {
    const verdict = filter?.refuse ?? filter?.check?.(row)
    return verdict === undefined ? 'fits' : `${verdict.code === 'unresolvable' ? '!' : ''}${verdict.reasons.join('; ')}`
  }
  return context.table.names.map((name, row) => `${name}: ${shown(row)}`).join(', ')
}

/** The scores of all nodes, normalized, as `n1=100 n2=0`; `skipped` when the plugin does not score the pod. */
export function scoresOf(plugin: Plugin, incoming: Pod, context: PluginContext): string {
  const { names } = context.table
  const rows = Int32Array.from(names.keys())
  const score = plugin.score?.(podInfo(incoming), context, () => rows)
  if (score === undefined) return 'skipped'
  const scores = Float64Array.from(rows, (row) => score.of(row))
  if (typeof score.normalize === 'function') score.normalize(scores, rows)
  else if (score.normalize !== undefined) {
    const max = Math.max(0, ...scores)
    const scaled = scores.map((s) => (max === 0 ? 0 : Math.trunc((100 * s) / max)))
    scores.set(score.normalize === 'lowest' ? scaled.map((s) => 100 - s) : scaled)
  }
  return names.map((name, i) => `${name}=${scores[i]}`).join(' ')
}
