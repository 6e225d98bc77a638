import type { ContainerState, ContainerStatus } from '../../resources/types/core.ts'
import type { LogOptions, Runtime } from '../runtime/runtime.ts'
import { containerStatuses, type Pod } from '../types/pod.ts'

/** Why a container has no log to read; the message is for the client. */
export class LogError extends Error {
  override readonly name = 'LogError'
  readonly code = 'no-log'
}

/** Selects how much of a log is read. */
export interface PodLogQuery extends LogOptions {
  /** The log of the previous attempt. */
  readonly previous?: boolean
}

interface WantedLog {
  readonly pod: Pod
  readonly container: string
  readonly query: PodLogQuery
}

/** Opens the log of a container, according to the pod's status. Throws `LogError` at once if there is none. */
export function openLog({ pod, container, query }: WantedLog, runtime: Runtime, signal: AbortSignal): AsyncIterable<string> {
  const { previous = false, ...options } = query
  return read(idToRead(pod, container, previous), options, runtime, signal)
}

async function* read(id: string, options: LogOptions, runtime: Runtime, signal: AbortSignal): AsyncGenerator<string> {
  const log = await runtime.logs(id, options, signal)
  if (log === undefined) yield `unable to retrieve container logs for ${id}\n`
  else yield* log
}

/** The id of the container whose log is read. A container in back-off has the log of its last attempt. */
function idToRead(pod: Pod, container: string, previous: boolean): string {
  const status = statusOf(pod, container)
  const subject = `container "${container}" in pod "${pod.metadata.name}"`
  if (status === undefined) throw new LogError(`${subject} is not available`)
  const { waiting, running, terminated }: ContainerState = status.state ?? {}
  const last = status.lastState?.terminated
  if (previous) {
    if (!last?.containerID) throw new LogError(`previous terminated ${subject} not found`)
    return last.containerID
  }
  if (running !== undefined) return status.containerID ?? ''
  if (terminated !== undefined) {
    const id = terminated.containerID || last?.containerID
    if (id) return id
    throw new LogError(`${subject} is terminated`)
  }
  if (last !== undefined) return last.containerID ?? ''
  if (waiting === undefined) throw new LogError(`${subject} is waiting to start - no logs yet`)
  throw new LogError(`${subject} is waiting to start: ${WAITING.get(waiting.reason ?? '') ?? waiting.reason}`)
}

const WAITING = new Map([
  ['ErrImagePull', "image can't be pulled"],
  ['ImagePullBackOff', 'trying and failing to pull image'],
])

const statusOf = (pod: Pod, container: string): ContainerStatus | undefined => containerStatuses(pod).find((s) => s.name === container)
