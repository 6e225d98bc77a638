import type { Later } from '../../base/steps.ts'
import type { ByteDuplex, ProcessStreams } from '../../machinery/streams.ts'
import type { ContainerResources, ContainerSpec, PodRef, SandboxSpec } from './container-spec.ts'

/** Why the runtime could not do what it was asked; `message` is what Kubernetes shows in statuses and events. */
export type RuntimeErrorCode =
  | 'image-not-found'
  | 'registry-unavailable'
  | 'signature-invalid'
  | 'invalid-image-name'
  | 'not-found'
  | 'already-exists'
  /** The runtime cannot do this at all. */
  | 'unsupported'
  | 'deadline'
  | 'runtime'

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
  /** The user that the image runs as: a number, or a name. Neither: root. */
  readonly uid?: number
  readonly username?: string
}

export interface SandboxStatus {
  readonly id: string
  readonly pod: PodRef
  readonly attempt: number
  readonly state: 'ready' | 'not-ready'
  readonly createdAtMs: number
  /** Empty on the host's network. */
  readonly ips: readonly string[]
}

export type ContainerState = 'created' | 'running' | 'exited' | 'unknown'

export interface ContainerStatus {
  readonly id: string
  readonly sandboxId: string
  readonly pod: PodRef
  readonly name: string
  readonly attempt: number
  readonly state: ContainerState
  readonly createdAtMs: number
  /** From `running` on. */
  readonly startedAtMs?: number
  /** Once `exited`; so are the others below. */
  readonly finishedAtMs?: number
  readonly exitCode?: number
  readonly signal?: number
  /** `Completed`, `Error`, `OOMKilled`, …; absent where the runtime gives none. */
  readonly reason?: string
  /** What the container wrote as its termination message, or why the runtime says it ended. */
  readonly message?: string
  readonly image: { readonly name: string; readonly id: string }
  readonly annotations: Readonly<Record<string, string>>
  readonly resources: ContainerResources
  /** Who its process runs as, where the runtime tells. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] }
}

/** What changed under the agent: read the pod's sandboxes and containers again. */
export interface RuntimeEvent {
  readonly kind: 'created' | 'started' | 'died' | 'removed' | 'sandbox'
  readonly podUid: string
  readonly containerId?: string
}

export interface RuntimeStatus {
  /** Whether it takes orders. */
  readonly ready: boolean
  readonly networkReady: boolean
  /** Why not: `NetworkReady=false reason:NetworkPluginNotReady message:…`. */
  readonly message?: string
}

export interface ExecResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface ContainerStats {
  readonly containerId: string
  readonly name: string
  readonly pod: PodRef
  readonly atMs: number
  /** Since the container started. */
  readonly cpuNanoseconds: number
  readonly memoryBytes: number
}

export interface LogOptions {
  readonly tailLines?: number
  readonly timestamps?: boolean
  /** Only what was printed since this moment (milliseconds since the Unix epoch). */
  readonly sinceMs?: number
  /** Go on with what comes, until the container ends or the signal is aborted. */
  readonly follow?: boolean
}

/** How much the containers of a pod have written. */
export interface PodFiles {
  /** Bytes beside their images, by container. */
  readonly layers: ReadonlyMap<string, number>
  /** Bytes, by volume. */
  readonly volumes: ReadonlyMap<string, number>
}

/** Which sandboxes or containers: all, or those of one pod. */
export interface PodFilter {
  readonly podUid?: string
}

/** What is listed; without a promise where it is known without asking anybody, since each pod is looked at time and again. */
export type Listed<T> = readonly T[] | Promise<readonly T[]>

/**
 * What runs containers: the verbs of the Container Runtime Interface, whatever is below (memory, processes, containerd). Everything may
 * take long and may fail with `RuntimeError`; a signal that is aborted ends the wait, and what was begun may still come to be: list to
 * know. The runtime outlives its agents: what stands is told by `sandboxes` and `containers`, and an agent that starts reads it before it
 * acts. `runtime.contract.ts` says the rest.
 */
export interface Runtime {
  readonly name: string
  readonly version: string
  status(signal: AbortSignal): Promise<RuntimeStatus>

  /** Resolves with the sandbox's id when its network stands. */
  runSandbox(spec: SandboxSpec, signal: AbortSignal): Promise<string>
  /** Ends what still runs in it and gives its network back. Stopping twice is harmless, also one that is not there. */
  stopSandbox(id: string, signal: AbortSignal): Promise<void>
  /** Nothing of it stays: neither containers nor logs. */
  removeSandbox(id: string, signal: AbortSignal): Promise<void>
  /** Newest first. */
  sandboxes(filter: PodFilter, signal: AbortSignal): Listed<SandboxStatus>

  imageStatus(image: string, signal: AbortSignal): Promise<Image | undefined>
  pullImage(image: string, signal: AbortSignal): Promise<Image>
  images(signal: AbortSignal): Promise<readonly Image[]>
  removeImage(image: string, signal: AbortSignal): Promise<void>

  createContainer(sandboxId: string, spec: ContainerSpec, signal: AbortSignal): Promise<string>
  startContainer(id: string, signal: AbortSignal): Promise<void>
  /**
   * Asks it to stop, and kills it when `graceMs` are over. Resolves when it has ended. A second call with less grace shortens the first.
   * Stopping what has ended is harmless.
   */
  stopContainer(id: string, graceMs: number, signal: AbortSignal): Promise<void>
  /** Kills it if it runs; its logs go too. */
  removeContainer(id: string, signal: AbortSignal): Promise<void>
  /** Newest first. */
  containers(filter: PodFilter, signal: AbortSignal): Listed<ContainerStatus>
  updateResources(id: string, resources: ContainerResources, signal: AbortSignal): Promise<void>

  /** Runs a command to its end; `deadline` when it took longer than `timeoutMs` (0: no limit). */
  execSync(id: string, command: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<ExecResult>
  /** Runs a command on these streams; resolves when it has ended. */
  exec(id: string, command: readonly string[], streams: ProcessStreams, signal: AbortSignal): Promise<{ readonly exitCode: number }>
  /** Joins the container's own process; resolves when it has ended, or when the client leaves. */
  attach(id: string, streams: ProcessStreams, signal: AbortSignal): Promise<void>
  /** Joins the client to what listens on that port inside the sandbox; resolves when either side is done. */
  portForward(sandboxId: string, port: number, connection: ByteDuplex, signal: AbortSignal): Promise<void>

  /** Writes the state of a running container into a file of the node. Absent: this runtime cannot. `timeoutS` 0: no limit. */
  checkpoint?(id: string, location: string, timeoutS: number, signal: AbortSignal): Promise<void>

  /** The container holds more memory than it may, and is killed. Absent: the kernel below sees to that by itself. */
  outOfMemory?(id: string): void
  /** What containers of a pod have written on the node, where the runtime knows. */
  podFiles?(podUid: string): PodFiles | undefined
  /** What a file of a pod's volume holds, where the runtime keeps it; undefined: there is no such file. */
  readVolumeFile?(podUid: string, volume: string, path: string): Later<string | undefined>
  /** The API has the pod otherwise than before: for a runtime that makes volumes by itself. */
  podChanged?(podUid: string): void
  stats(filter: PodFilter, signal: AbortSignal): Promise<readonly ContainerStats[]>
  /**
   * What the container has printed, oldest first, in pieces that end with whole lines; undefined when there is no such container (any
   * more).
   */
  logs(id: string, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<string> | undefined>

  /** Tells of what happens from now on, until the signal is aborted; rejects when it can tell no more (then list, and ask again). */
  events(tell: (event: RuntimeEvent) => void, signal: AbortSignal): Promise<void>
}

/** Everything a runtime has of a pod. */
export interface RuntimePod {
  /** Newest first. */
  readonly sandboxes: readonly SandboxStatus[]
  /** Newest first. */
  readonly containers: readonly ContainerStatus[]
}

/** What runs, by pod uid: where an agent that starts begins. */
export async function recover(runtime: Runtime, signal: AbortSignal): Promise<ReadonlyMap<string, RuntimePod>> {
  const [sandboxes, containers] = await Promise.all([runtime.sandboxes({}, signal), runtime.containers({}, signal)])
  const pods = new Map<string, { sandboxes: SandboxStatus[]; containers: ContainerStatus[] }>()
  const of = (uid: string) => {
    const known = pods.get(uid) ?? { sandboxes: [], containers: [] }
    pods.set(uid, known)
    return known
  }
  for (const s of sandboxes) of(s.pod.uid).sandboxes.push(s)
  for (const c of containers) of(c.pod.uid).containers.push(c)
  return pods
}

/** What can be asked of a runtime without changing anything. */
export type RuntimeView = Pick<Runtime, 'sandboxes' | 'containers'>

/** What the runtime has of one pod now; not a promise where the runtime answers at once. */
export function runtimePod(runtime: RuntimeView, podUid: string, signal: AbortSignal): RuntimePod | Promise<RuntimePod> {
  const sandboxes = runtime.sandboxes({ podUid }, signal)
  const containers = runtime.containers({ podUid }, signal)
  if (!(sandboxes instanceof Promise) && !(containers instanceof Promise)) return { sandboxes, containers }
  return Promise.all([sandboxes, containers]).then(([s, c]) => ({ sandboxes: s, containers: c }))
}

export const hasRunning = (pod: RuntimePod | undefined): boolean => pod?.containers.some((c) => c.state !== 'exited') === true
