import type { SparseMap } from '../../../base/collections/sparse-map.ts'
import type { ContainerStatus, Runtime } from '../../runtime/runtime.ts'
import { containersOf, type Pod } from '../../types/pod.ts'

/** So much of a container's log stands for the message that it did not write. */
const LINES = 80
const BYTES = 2048

/** Whether it has failed without a word. */
export const failedSilently = (c: ContainerStatus) => c.state === 'exited' && c.exitCode !== 0 && !c.message

/**
 * The containers of a pod, those that failed without a word with the end of their log as their message, where their definition says so
 * (`FallbackToLogsOnError`). A log is read once: `read` remembers what was found, by container.
 */
export async function withLogMessages(
  { runtime, pod, read }: { readonly runtime: Runtime; readonly pod: Pod; readonly read: SparseMap<string> },
  containers: readonly ContainerStatus[],
  signal: AbortSignal,
): Promise<readonly ContainerStatus[]> {
  const falling = new Set(
    containersOf(pod).flatMap((c) => (c.container.terminationMessagePolicy === 'FallbackToLogsOnError' ? [c.container.name] : [])),
  )
  if (falling.size === 0) return containers
  const told = containers.map(async (c) => {
    if (!falling.has(c.name) || !failedSilently(c)) return c
    const message = read.get(c.id) ?? (await endOfLog(runtime, c.id, signal))
    read.set(c.id, message)
    return message === '' ? c : { ...c, message }
  })
  return Promise.all(told)
}

async function endOfLog(runtime: Runtime, id: string, signal: AbortSignal): Promise<string> {
  let text = Buffer.alloc(0)
  for await (const piece of (await runtime.logs(id, { tailLines: LINES }, signal)) ?? [])
    text = Buffer.concat([text, Buffer.from(piece)]).subarray(-BYTES)
  return text.toString()
}
