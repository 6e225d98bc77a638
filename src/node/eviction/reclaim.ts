import { quiet } from '../../base/quiet.ts'
import { RuntimeError } from '../runtime/runtime-error.ts'
import type { AgentView } from '../types/agent-part.ts'
import type { Signal } from './thresholds.ts'

/**
 * Frees dead containers and unused images on the file system that is full, before pods are evicted. True if the signal's resource can be
 * freed this way.
 */
export async function reclaimFrom(agent: AgentView, which: Signal, separateImages: boolean, signal: AbortSignal): Promise<boolean> {
  if (!which.startsWith('imagefs') && (separateImages || !which.startsWith('nodefs'))) return false
  try {
    await removeUnused(agent, signal)
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
  }
  return true
}

const TRIED_AGAIN = 'while there is pressure, the next look tries it again'

/** @throws {RuntimeError} when the runtime does not answer */
async function removeUnused(agent: AgentView, signal: AbortSignal): Promise<void> {
  const { runtime } = agent
  const active = new Set(agent.pods().map((p) => p.metadata.uid))
  const containers = await runtime.containers({}, signal)
  for (const c of containers)
    if (c.state === 'exited' && !active.has(c.pod.uid)) await quiet(runtime.removeContainer(c.id, signal), TRIED_AGAIN)
  const used = new Set((await runtime.containers({}, signal)).map((c) => c.image.id))
  for (const image of await runtime.images(signal))
    if (!used.has(image.id) && image.pinned !== true) await quiet(runtime.removeImage(image.name, signal), TRIED_AGAIN)
}
