import { messageOf } from '../../base/message-of.ts'
import type { ByteDuplex, ProcessStreams } from '../../machinery/streams.ts'
import { findContainer, findSandbox } from '../pod/find-container.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { uidOnNode } from '../static-pods/mirror-pods.ts'
import type { Pod } from '../types/pod.ts'

/** The container or pod that a client wants to reach does not run; the message is the kubelet's. */
export class NotRunningError extends Error {
  override readonly name = 'NotRunningError'
  readonly code = 'not-running'
}

/** Starts a process in a container that was found; rejects with the message for the client. */
export type StartProcess = (streams: ProcessStreams, gone: AbortSignal) => Promise<{ readonly exitCode: number }>
/** Connects a stream to a port; rejects with the message for the client. */
export type JoinPort = (port: number, connection: ByteDuplex) => Promise<void>

const never = new AbortController().signal
const fullName = ({ metadata: { name, namespace } }: Pod) => `${name}_${namespace}`

/** @throws {NotRunningError} */
export async function commandIn(runtime: Runtime, pod: Pod, container: string, command: readonly string[]): Promise<StartProcess> {
  const id = await findContainer(runtime, uidOnNode(pod), container, never)
  if (id === undefined) throw new NotRunningError(`container not found ("${container}")`)
  return (streams, gone) => said('error executing command in container', () => runtime.exec(id, command, streams, gone))
}

/** @throws {NotRunningError} */
export async function attachTo(runtime: Runtime, pod: Pod, container: string): Promise<StartProcess> {
  const id = await findContainer(runtime, uidOnNode(pod), container, never)
  if (id === undefined) throw new NotRunningError(`container ${container} not found in pod ${fullName(pod)}`)
  return (streams, gone) =>
    said('error attaching to container', async () => {
      await runtime.attach(id, streams, gone)
      return { exitCode: 0 }
    })
}

/** @throws {NotRunningError} */
export async function portsOf(runtime: Runtime, pod: Pod): Promise<JoinPort> {
  const id = await findSandbox(runtime, uidOnNode(pod), never)
  if (id === undefined) throw new NotRunningError(`pod not found ("${fullName(pod)}")`)
  return (port, connection) =>
    said(`error forwarding port ${port} to pod ${id}, uid `, () => runtime.portForward(id, port, connection, never))
}

/** Wraps errors as the server of a container runtime does. */
async function said<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error })
  }
}
