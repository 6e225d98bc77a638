import type { PodAffinityTerm } from '../../resources/types/core.ts'
import { type PodInfo, podInfo } from '../cache/pod-info.ts'
import type { Change } from './change.ts'
import type { Scratch } from './scratch.ts'

const HOSTNAME = 'kubernetes.io/hostname'

/** Other pods whose leaving may help: those of the node, then those of the nodes that share with it what the pod is kept apart by. */
export function removePods(scratch: Scratch, row: number): readonly Change[] {
  const { table, pod } = scratch
  const keys = new Set([
    ...(pod.terms?.requiredAntiAffinity ?? []).map((t) => t.topologyKey),
    ...[...table.carried.of('requiredAntiAffinity').values()].map(({ term }) => term.topologyKey),
    ...(pod.pod.spec.topologySpreadConstraints ?? []).map((c) => c.topologyKey),
  ])
  keys.delete(HOSTNAME)
  const labels = table.labels[row] ?? {}
  const near = scratch
    .rows()
    .filter((other) => other === row || [...keys].some((key) => labels[key] !== undefined && table.labels[other]?.[key] === labels[key]))
  return near.flatMap((at) => [...(table.pods[at] ?? [])].map((other) => removePod(other, table.names[at] ?? '', table.names[row] ?? '')))
}

function removePod(other: PodInfo, node: string, fitsOn: string): Change {
  const { name = '' } = other.pod.metadata
  return {
    kind: 'RemovePod',
    node,
    // The least important first; the small ones before the large.
    cost: other.priority + 1 / (1 + other.scoredCpu + other.scoredMemory),
    message: `remove pod ${other.key} from node ${node}`,
    command: `kubectl delete pod ${name} -n ${other.namespace}`,
    write: { resource: 'pods', namespace: other.namespace, name },
    fitsOn,
    make: (scratch) => {
      scratch.table.removePod(other, node)
      scratch.changed()
      return () => {
        scratch.table.addPod(other, node)
        scratch.changed()
      }
    },
  }
}

/** Adds a pod that the required affinity of this one matches. */
export function addFriend(scratch: Scratch, row: number): readonly Change[] {
  const node = scratch.table.names[row] ?? ''
  const terms = scratch.pod.pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  return terms.flatMap((term) => {
    const labels = labelsOf(term)
    const namespace = term.namespaces?.[0] ?? scratch.pod.namespace
    const friend = podInfo({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'friend', namespace, uid: 'friend', labels },
      spec: { containers: [] },
    })
    const text = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
    return [
      {
        kind: 'AddPod' as const,
        node,
        cost: 1,
        message: `run a pod with ${text.length === 0 ? 'any labels' : text.join(',')} in namespace ${namespace} on node ${node}`,
        make: (trial: Scratch) => {
          trial.table.addPod(friend, node)
          trial.changed()
          return () => {
            trial.table.removePod(friend, node)
            trial.changed()
          }
        },
      },
    ]
  })
}

/** Labels that an affinity term selects, as far as its expressions determine them. */
function labelsOf({ labelSelector }: PodAffinityTerm): Readonly<Record<string, string>> {
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {}
  const requested = matchExpressions.flatMap(({ key, operator, values = [] }) =>
    operator === 'In' ? [[key, values[0] ?? '']] : operator === 'Exists' ? [[key, '']] : [],
  )
  return { ...Object.fromEntries(requested), ...matchLabels }
}
