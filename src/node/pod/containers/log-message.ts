import type { SparseMap } from '../../../base/collections/sparse-map.ts'
import type { ContainerStatus, Runtime } from '../../runtime/runtime.ts'
import { containersOf, type Pod } from '../../types/pod.ts'

/** The last lines of the log become the termination message. */
const LINES = 80
const BYTES = 2048

/** Whether it failed without a termination message. */
export const failedSilently = (c: ContainerStatus) => c.state === 'exited' && c.exitCode !== 0 && !c.message

/**
 * The containers of a pod; those that failed without a termination message get the end of their log, if their definition says so
 * (`FallbackToLogsOnError`). A log is read once: `read` caches it by container.
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
  const reported = containers.map(async (c) => {
    if (!falling.has(c.name) || !failedSilently(c)) return c
    const message = read.get(c.id) ?? (await endOfLog(runtime, c.id, signal))
    read.set(c.id, message)
    return message === '' ? c : { ...c, message }
  })
  return Promise.all(reported)
}

async function endOfLog(runtime: Runtime, id: string, signal: AbortSignal): Promise<string> {
  let text = Buffer.alloc(0)
  for await (const piece of (await runtime.logs(id, { tailLines: LINES }, signal)) ?? [])
    text = Buffer.concat([text, Buffer.from(piece)]).subarray(-BYTES)
  return text.toString()
}
