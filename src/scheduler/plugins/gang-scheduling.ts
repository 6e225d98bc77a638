import { groupOf, type PodGroupMembers } from '../cache/pod-groups.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Listers } from '../framework/listers.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { unresolvable } from '../framework/verdict.ts'

const NAME = 'GangScheduling'
/** How long pods of a gang keep their nodes while they wait for the others. Kubernetes' value. */
const PERMIT_TIMEOUT_MS = 300_000

/**
 * Binds the pods of a PodGroup with the policy `gang` only when `minCount` of them have a node (KEP-4671). Until that many exist, none
 * enters the queue; until that many have a node, those that have one wait at Permit.
 */
export const gangScheduling: PluginFactory = () => ({
  name: NAME,
  scope: 'node',
  preEnqueue(pod, { listers }) {
    const gang = gangOf(pod, listers)
    if (gang === 'missing') return `waiting for pods's pod group ${JSON.stringify(groupOf(pod.pod))} to appear in scheduling queue`
    if (gang === undefined || gang.members.placed.size + gang.members.unplaced.size >= gang.minCount) return undefined
    return 'waiting for minCount pods from a gang to appear in scheduling queue'
  },
  permit(pod, _node, { context: { listers }, waitingPods, activate }) {
    const gang = gangOf(pod, listers)
    if (gang === undefined) return undefined
    if (gang === 'missing') return { refuse: unresolvable(NAME, `failed to get podGroup ${pod.namespace}/${groupOf(pod.pod)}: not found`) }
    const { members, minCount } = gang
    if (members.placed.size < minCount) {
      activate(members.unplaced)
      return { waitMs: PERMIT_TIMEOUT_MS }
    }
    for (const { info } of waitingPods.list()) if (members.placed.has(info.key)) waitingPods.allow(info.uid, NAME)
    return undefined
  },
  hints: {
    'pod-added': (pod, { pod: added }) => added !== undefined && isSameGroup(pod, added.metadata.namespace, groupOf(added)),
    'changed/podgroups': (pod, { object }) => isSameGroup(pod, object?.metadata.namespace, object?.metadata.name),
  },
})

interface Gang {
  readonly minCount: number
  readonly members: PodGroupMembers
}

/** Undefined for a pod without a group, or in one with another policy. `missing`: its group does not exist. */
function gangOf({ pod, namespace }: PodInfo, listers: Listers): Gang | 'missing' | undefined {
  const name = groupOf(pod)
  if (name === undefined) return undefined
  const group = listers.get('podgroups', namespace, name)
  if (group === undefined) return 'missing'
  const { gang } = group.spec.schedulingPolicy
  return gang && { minCount: gang.minCount, members: listers.podGroup(namespace, name) }
}

const isSameGroup = (pod: PodInfo, namespace: string | undefined, name: string | undefined): boolean =>
  name !== undefined && pod.namespace === namespace && groupOf(pod.pod) === name
