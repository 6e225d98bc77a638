import type { KubeObject } from '../../machinery/object.ts'
import { SIMULATED_PREFIX } from '../../machinery/simulated-annotations.ts'

/** Annotations of a pod, and the prefixes of the node's signals (`memory.available`). */
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

/** Whether annotations of a pod or a node describe usage. */
export function describesUsage({ metadata: { annotations } }: KubeObject): boolean {
  for (const key in annotations)
    if (key.startsWith(SIMULATED_PREFIX) && WORDS.has(key.slice(SIMULATED_PREFIX.length).split('.', 1)[0] ?? '')) return true
  return false
}
