import type { LogOptions, Runtime } from '../runtime/runtime.ts'
import type { Pod } from './pod-types.ts'

/** Why a container has no log to read; the message is for the one who asked. */
export class LogError extends Error {
  override readonly name = 'LogError'
  readonly code = 'no-log'
}

interface State {
  readonly running?: unknown
  readonly terminated?: { readonly containerID?: string }
  readonly waiting?: { readonly reason?: string }
}

/** The log of a container of this pod, by what the pod's status says of it. */
export function openLog(pod: Pod, container: string, options: LogOptions, runtime: Runtime, signal: AbortSignal): AsyncIterable<string> {
  const attempt = attemptToRead(pod, container, options.previous === true)
  const log = runtime.logs(pod.metadata.uid ?? '', container, { ...options, previous: attempt === 'previous' }, signal)
  return log ?? lines(`unable to retrieve container logs for ${containerId(pod, container)}\n`)
}

/** Which attempt's output answers; throws when there is none. A container that waits to start again shows how it ended before. */
function attemptToRead(pod: Pod, container: string, previous: boolean): 'latest' | 'previous' {
  const status = statusOf(pod, container)
  const place = `container "${container}" in pod "${pod.metadata.name}"`
  if (status === undefined) throw new LogError(`${place} is not available`)
  const { waiting, running, terminated }: State = status.state ?? {}
  if (previous) {
    if (!status.lastState?.terminated?.containerID) throw new LogError(`previous terminated ${place} not found`)
    // The runtime's latest output is still that of the attempt which ended, until the next one starts.
    return running === undefined && terminated === undefined ? 'latest' : 'previous'
  }
  if (running !== undefined) return 'latest'
  if (terminated !== undefined) {
    if (terminated.containerID || status.lastState?.terminated?.containerID) return 'latest'
    throw new LogError(`${place} is terminated`)
  }
  if (status.lastState?.terminated !== undefined) return 'latest'
  if (waiting === undefined) throw new LogError(`${place} is waiting to start - no logs yet`)
  throw new LogError(`${place} is waiting to start: ${WAITING.get(waiting.reason ?? '') ?? waiting.reason}`)
}

const WAITING = new Map([
  ['ErrImagePull', "image can't be pulled"],
  ['ImagePullBackOff', 'trying and failing to pull image'],
])

interface ContainerStatus {
  readonly name: string
  readonly containerID?: string
  readonly state?: State
  readonly lastState?: State
}

function statusOf(pod: Pod, container: string): ContainerStatus | undefined {
  const status: { readonly [list: string]: unknown } = pod.status
  const all = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'].flatMap((list) => status[list] ?? [])
  return (all as ContainerStatus[]).find((s) => s.name === container)
}

const containerId = (pod: Pod, container: string) => statusOf(pod, container)?.containerID ?? container

async function* lines(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}
