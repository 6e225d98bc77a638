import { compileRequirement } from '../../machinery/selectors/label-matcher.ts'
import type { Node, NodeSelectorTerm, Taint } from '../../resources/types/core.ts'
import { tolerates } from '../plugins/taint-toleration.ts'
import { showAmount } from './amount-text.ts'
import { type Change, nodeChange, patchNode } from './change.ts'
import type { Scratch } from './scratch.ts'

/** Kubernetes puts this taint on a cordoned node, and takes it away again. */
const CORDONED = 'node.kubernetes.io/unschedulable'

const nodeAt = (scratch: Scratch, row: number): Readonly<Node> =>
  scratch.table.nodes[row] ?? { apiVersion: 'v1', kind: 'Node', metadata: {} }

/** A node that was taken out of service comes back. */
export function uncordon(scratch: Scratch, row: number): readonly Change[] {
  const node = nodeAt(scratch, row)
  const name = node.metadata.name ?? ''
  if (node.spec?.unschedulable !== true) return []
  const { unschedulable: _, taints = [], ...spec } = node.spec
  const left = taints.filter((t) => t.key !== CORDONED)
  return [
    {
      kind: 'Uncordon',
      node: name,
      cost: 1,
      message: `uncordon node ${name}`,
      command: `kubectl uncordon ${name}`,
      write: patchNode(name, { spec: { unschedulable: null } }),
      make: nodeChange(row, (now) => ({ ...now, spec: { ...spec, taints: left } })),
    },
  ]
}

/** The taints that the pod does not tolerate, each removed alone. */
export function removeTaint(scratch: Scratch, row: number): readonly Change[] {
  const node = nodeAt(scratch, row)
  const name = node.metadata.name ?? ''
  const tolerations = scratch.pod.pod.spec.tolerations ?? []
  const taints = node.spec?.taints ?? []
  const bad = taints.filter((t) => t.effect !== 'PreferNoSchedule' && !tolerations.some((o) => tolerates(o, t)))
  return bad.map((taint) => ({
    kind: 'RemoveTaint',
    node: name,
    cost: 1,
    message: `remove taint ${taintText(taint)} from node ${name}, or let the pod tolerate it`,
    command: `kubectl taint nodes ${name} ${taintText(taint)}-`,
    write: patchNode(name, { spec: { taints: taints.filter((t) => t !== taint) } }),
    make: nodeChange(row, (now) => ({ ...now, spec: { ...now.spec, taints: (now.spec?.taints ?? []).filter((t) => t !== taint) } })),
  }))
}

const taintText = ({ key, value, effect }: Taint) => `${key}${value ? `=${value}` : ''}:${effect}`

/** Frees the resources that are short on the node, or, if the node's total is less than the request, adds them. */
export function freeResources(scratch: Scratch, row: number): readonly Change[] {
  const { table, pod } = scratch
  const name = table.names[row] ?? ''
  const short: { readonly resource: string; readonly all: number; readonly missing: number }[] = []
  let enlarge = false
  for (const { name: resource, amount } of pod.requests) {
    const id = table.resourceId(resource)
    const all = id === undefined ? 0 : (table.allocatable[id]?.[row] ?? 0)
    const used = id === undefined ? 0 : (table.used[id]?.[row] ?? 0)
    if (resource === 'pods' || amount <= all - used) continue
    short.push({ resource, all, missing: amount - (all - used) })
    enlarge ||= amount > all
  }
  const [pods, allowed] = [table.podCount[row] ?? 0, table.allowedPods[row] ?? 0]
  if (pods >= allowed) short.push({ resource: 'pods', all: allowed, missing: pods - allowed + 1 })
  if (short.length === 0) return []
  const parts = short.map(({ resource, missing }) =>
    resource === 'pods'
      ? `room for ${missing === 1 ? 'one more pod' : `${missing} more pods`}`
      : `${showAmount(resource, missing)} of ${resource}`,
  )
  return [
    {
      kind: enlarge ? 'EnlargeNode' : 'FreeResources',
      node: name,
      // By what share of the node is missing; two resources are more than one.
      cost: short.reduce((sum, { all, missing }) => sum + (all > 0 ? missing / all : missing), 0),
      message: enlarge ? `enlarge node ${name}: it lacks ${and(parts)}` : `free ${and(parts)} on node ${name}`,
      make: nodeChange(row, (node) => ({
        ...node,
        status: { ...node.status, allocatable: { ...node.status?.allocatable, ...grown(short) } },
      })),
    },
  ]
}

const grown = (short: readonly { readonly resource: string; readonly all: number; readonly missing: number }[]) =>
  Object.fromEntries(short.map(({ resource, all, missing }) => [resource, showAmount(resource, all + missing)]))

const and = (parts: readonly string[]) =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`

/** The labels that the pod requires and the node lacks; one change for each alternative of the pod's affinity. */
export function addLabels(scratch: Scratch, row: number): readonly Change[] {
  const node = nodeAt(scratch, row)
  const name = node.metadata.name ?? ''
  const labels = node.metadata.labels ?? {}
  const { nodeSelector = {}, affinity } = scratch.pod.pod.spec
  const requested = Object.fromEntries(Object.entries(nodeSelector).filter(([key, value]) => labels[key] !== value))
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}]
  const ways = terms.map((term) => labelsFor(term, labels)).filter((way) => way !== undefined)
  return [...ways.map((way) => ({ ...requested, ...way })), ...missingTopologies(scratch, row)].flatMap((way) => {
    const entries = Object.entries(way)
    if (entries.length === 0) return []
    const text = entries.map(([key, value]) => (value === null ? `${key}-` : `${key}=${value}`))
    const after: Record<string, string> = {}
    for (const [key, value] of Object.entries({ ...labels, ...way })) if (value !== null) after[key] = value
    return [
      {
        kind: 'AddLabel' as const,
        node: name,
        cost: entries.length,
        message: `label node ${name} ${text.join(' ')}`,
        command: `kubectl label node ${name} ${text.join(' ')} --overwrite`,
        write: patchNode(name, { metadata: { labels: way } }),
        make: nodeChange(row, (now) => ({ ...now, metadata: { ...now.metadata, labels: after } })),
      },
    ]
  })
}

type Labels = Readonly<Record<string, string | null>>

/** What to write so that a term holds; null takes a label away. Undefined where labels alone do not do it. */
function labelsFor(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  labels: Readonly<Record<string, string>>,
): Labels | undefined {
  if (matchFields.length > 0) return undefined
  const way: Record<string, string | null> = {}
  for (const requirement of matchExpressions) {
    const { key, operator, values = [] } = requirement
    if (compileRequirement(requirement)(labels)) continue
    if (operator === 'In') way[key] = values[0] ?? ''
    else if (operator === 'Exists') way[key] = ''
    else if (operator === 'NotIn' || operator === 'DoesNotExist') way[key] = null
    else if (operator === 'Gt' || operator === 'Lt') way[key] = String(Number(values[0] ?? 0) + (operator === 'Gt' ? 1 : -1))
    else return undefined
  }
  return way
}

/** Values tried for a topology label that a node lacks. */
const MAX_VALUES = 8

/** The topology labels that spreading and affinity to other pods need, with the values that other nodes have. */
function missingTopologies(scratch: Scratch, row: number): readonly Labels[] {
  const { spec } = scratch.pod.pod
  const keys = new Set([
    ...(spec.topologySpreadConstraints ?? []).filter((c) => c.whenUnsatisfiable === 'DoNotSchedule').map((c) => c.topologyKey),
    ...(spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((t) => t.topologyKey),
  ])
  const labels = scratch.table.labels[row] ?? {}
  return [...keys]
    .filter((key) => labels[key] === undefined)
    .flatMap((key) => {
      const values = new Set(scratch.rows().flatMap((other) => scratch.table.labels[other]?.[key] ?? []))
      return [...values].slice(0, MAX_VALUES).map((value) => ({ [key]: value }))
    })
}
