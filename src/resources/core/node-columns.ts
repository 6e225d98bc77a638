import { AGE, type ColumnInit, NAME } from '../define.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'

export type Node = UncheckedObject<core.Node>

const ROLE = 'node-role.kubernetes.io/'
const OTHER_ROLE = 'kubernetes.io/role'

function status(node: Node): string {
  const conditions = node.status?.conditions ?? []
  const words: string[] = []
  const ready = conditions.find((c) => c.type === 'Ready')
  if (ready) words.push(ready.status === 'True' ? 'Ready' : 'NotReady')
  if (words.length === 0) words.push('Unknown')
  if (node.spec?.unschedulable) words.push('SchedulingDisabled')
  return words.join(',')
}

function roles(node: Node): string {
  const found = new Set<string>()
  for (const [name, value] of Object.entries(node.metadata.labels ?? {})) {
    if (name.startsWith(ROLE) && name.length > ROLE.length) found.add(name.slice(ROLE.length))
    else if (name === OTHER_ROLE && value !== '') found.add(value)
  }
  return found.size === 0 ? '<none>' : [...found].sort().join(',')
}

function address(type: string) {
  return (node: Node): string => {
    const addresses = node.status?.addresses ?? []
    return addresses.find((a) => a.type === type)?.address || '<none>'
  }
}

function kernel(node: Node): string {
  const version = node.status?.nodeInfo?.kernelVersion || '<unknown>'
  const architecture = node.status?.nodeInfo?.architecture
  return architecture && version !== '<unknown>' ? `${version} (${architecture})` : version
}

export const NODE_COLUMNS: readonly ColumnInit<Node>[] = [
  NAME,
  { name: 'Status', description: 'Whether the node is ready, and whether it takes new pods.', cell: status },
  { name: 'Roles', description: 'What the node is for, by its labels.', cell: roles },
  AGE,
  { name: 'Version', describes: 'status.nodeInfo.kubeletVersion', cell: (node) => node.status?.nodeInfo?.kubeletVersion ?? '' },
  { name: 'Internal-IP', priority: 1, describes: 'status.addresses', cell: address('InternalIP') },
  { name: 'External-IP', priority: 1, describes: 'status.addresses', cell: address('ExternalIP') },
  { name: 'OS-Image', priority: 1, describes: 'status.nodeInfo.osImage', cell: (node) => node.status?.nodeInfo?.osImage || '<unknown>' },
  { name: 'Kernel-Version', priority: 1, describes: 'status.nodeInfo.kernelVersion', cell: kernel },
  {
    name: 'Container-Runtime',
    priority: 1,
    describes: 'status.nodeInfo.containerRuntimeVersion',
    cell: (node) => node.status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
  },
]
