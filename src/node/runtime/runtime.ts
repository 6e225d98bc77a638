import type { KubeObject } from '../../machinery/object.ts'
import type { Container } from '../pod/pod-types.ts'

/** Why the runtime could not do what it was asked; `message` is what Kubernetes shows in the container's status. */
export type RuntimeErrorCode = 'image-not-found' | 'image-unreachable' | 'invalid-image-name' | 'container-config' | 'runtime'

export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
  readonly code: RuntimeErrorCode
  constructor(code: RuntimeErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

export interface Image {
  /** As statuses show it: with a tag. */
  readonly name: string
  readonly id: string
  readonly sizeBytes: number
}

export interface Sandbox {
  readonly id: string
  readonly ip: string
}

/** How a container ended. */
export interface Exit {
  readonly exitCode: number
  readonly signal?: number
  /** `Completed`, `Error`, `OOMKilled`, …; absent where the runtime gives none. */
  readonly reason?: string
  readonly message?: string
  readonly startedAtMs: number
  readonly finishedAtMs: number
}

export interface StartedContainer {
  readonly id: string
  readonly startedAtMs: number
  /** Already set when the container ended at once; settles when it ends. */
  readonly exit: Exit | Promise<Exit>
}

export interface LogOptions {
  readonly tailLines?: number
  readonly previous?: boolean
  readonly timestamps?: boolean
  /** Only what was printed since this moment (milliseconds since the Unix epoch). */
  readonly sinceMs?: number
  /** Go on with what comes, until the container ends or the signal is aborted. */
  readonly follow?: boolean
}

/**
 * What runs containers. The pod life cycle above is the same whichever runtime is below. Every method that waits takes a signal;
 * failures are `RuntimeError`.
 */
export interface Runtime {
  readonly name: string
  readonly version: string
  findImage(image: string): Image | undefined
  pullImage(image: string, signal: AbortSignal): Promise<Image>
  createSandbox(pod: KubeObject, signal: AbortSignal): Promise<Sandbox>
  /** Creates and starts. `attempt` counts from 0. */
  startContainer(request: {
    pod: KubeObject
    sandbox: Sandbox
    container: Container
    attempt: number
    signal: AbortSignal
  }): Promise<StartedContainer>
  /** Asks it to stop, and kills it when `graceMs` are over. Resolves when it has ended. */
  stopContainer(id: string, graceMs: number): Promise<void>
  /** The pod has ended: its network goes, what its containers have printed stays. */
  stopSandbox(id: string): Promise<void>
  /** The pod has gone: nothing of it stays. */
  removeSandbox(id: string): Promise<void>
  /** What the container has printed, oldest first; undefined when there is no such container (any more). */
  logs(podUid: string, container: string, options: LogOptions, signal: AbortSignal): AsyncIterable<string> | undefined
}
