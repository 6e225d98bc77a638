import type { KubeObject } from '../../machinery/object.ts'

/** What is said of simulated pods and nodes; `….CONTAINER` for one container alone. */
export const PREFIX = 'simulated.bowsprit.dev/'

/** Annotations of a pod, and the first words of the node's signals (`memory.available`). */
const WORDS: ReadonlySet<string> = new Set([
  'memory',
  'ephemeral-storage',
  'volume',
  'log-bytes',
  'inodes',
  'processes',
  'allocatableMemory',
  'nodefs',
  'imagefs',
  'pid',
])

/** Whether a pod or a node says something of what is used, or left. */
export function describesUsage({ metadata: { annotations } }: KubeObject): boolean {
  for (const key in annotations) if (key.startsWith(PREFIX) && WORDS.has(key.slice(PREFIX.length).split('.', 1)[0] ?? '')) return true
  return false
}
