import type { Taint } from '../../resources/types/core.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { unresolvable } from '../framework/verdict.ts'
import { tolerates } from './taint-toleration.ts'

const NAME = 'NodeUnschedulable'
const CORDONED = unresolvable(NAME, 'node(s) were unschedulable')
const TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/** Keeps pods off cordoned nodes unless they tolerate that. */
export const nodeUnschedulable: PluginFactory = () => ({
  name: NAME,
  scope: 'node',
  epoch: ({ table }) => (table.cordoned === 0 ? 0 : 1),
  filter(pod, { table }) {
    if (table.cordoned === 0 || bearsCordon(pod)) return undefined
    const { unschedulable } = table
    return { check: (row) => (unschedulable[row] === 1 ? CORDONED : undefined) }
  },
  hints: {
    'node-added': (_pod, { node }) => node?.spec?.unschedulable !== true,
    'node-updated': (_pod, { node, oldNode }) => node?.spec?.unschedulable !== true && oldNode?.spec?.unschedulable !== false,
    'pod-updated': bearsCordon,
  },
})

function bearsCordon(pod: PodInfo): boolean {
  return (pod.pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, TAINT))
}
