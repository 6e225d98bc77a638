import type { AgentView } from '../types/agent-part.ts'
import type { Signal } from './thresholds.ts'

/**
 * Frees what nobody needs before anybody has to go: dead containers and their images, where they lie on the file system that is full.
 * True when something of that kind could be freed at all.
 */
export async function reclaimFrom(agent: AgentView, which: Signal, separateImages: boolean, signal: AbortSignal): Promise<boolean> {
  if (!which.startsWith('imagefs') && (separateImages || !which.startsWith('nodefs'))) return false
  const { runtime } = agent
  const active = new Set(agent.pods().map((p) => p.metadata.uid))
  const containers = await runtime.containers({}, signal)
  for (const c of containers) if (c.state === 'exited' && !active.has(c.pod.uid)) await runtime.removeContainer(c.id, signal)
  const used = new Set((await runtime.containers({}, signal)).map((c) => c.image.id))
  for (const image of await runtime.images(signal)) if (!used.has(image.id)) await runtime.removeImage(image.name, signal)
  return true
}
