import type { Later } from '../../base/steps.ts'
import type { ByteDuplex, ProcessStreams } from '../../machinery/streams.ts'
import type { ContainerResources, ContainerSpec, PodRef, SandboxSpec } from './container-spec.ts'

export interface Image {
  /** As shown in statuses: with a tag. */
  readonly name: string
  readonly id: string
  readonly sizeBytes: number
  /** The user of the image: a number, or a name. Neither: root. */
  readonly uid?: number
  readonly username?: string
  /** The runtime itself needs it: it is never removed as unused. */
  readonly pinned?: boolean
}

export interface SandboxStatus {
  readonly id: string
  readonly pod: PodRef
  readonly attempt: number
  readonly state: 'ready' | 'not-ready'
  readonly createdAtMs: number
  /** Empty for the host network. */
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
  /** Set when `exited`, like the following fields. */
  readonly finishedAtMs?: number
  readonly exitCode?: number
  readonly signal?: number
  /** `Completed`, `Error`, `OOMKilled`, …; absent where the runtime gives none. */
  readonly reason?: string
  /** The container's termination message, or the runtime's reason for its end. */
  readonly message?: string
  readonly image: { readonly name: string; readonly id: string }
  readonly annotations: Readonly<Record<string, string>>
  readonly resources: ContainerResources
  /** The user of its process, if the runtime reports it. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] }
}

/** What all containers of a pod may use together, and what their sandbox takes beside. */
export interface SandboxAmounts {
  readonly resources: ContainerResources
  readonly overhead: ContainerResources
}

/** Something changed in this pod: read its sandboxes and containers again. */
export interface RuntimeEvent {
  readonly kind: 'created' | 'started' | 'died' | 'removed' | 'sandbox'
  readonly podUid: string
  readonly containerId?: string
}

export interface RuntimeStatus {
  /** Whether the runtime accepts requests. */
  readonly ready: boolean
  readonly networkReady: boolean
  /** Otherwise the reason: `NetworkReady=false reason:NetworkPluginNotReady message:…`. */
  readonly message?: string
  /** What its handlers can do, if it says so. */
  readonly handlers?: readonly RuntimeHandler[]
  /** Whether `supplementalGroupsPolicy: Strict` is followed, if it says so. */
  readonly supplementalGroupsPolicy?: boolean
}

/** A way to run containers that a RuntimeClass may name; `''` is the default one. */
export interface RuntimeHandler {
  readonly name: string
  readonly recursiveReadOnlyMounts: boolean
  readonly userNamespaces: boolean
}

/** What a runtime asks a registry for. */
export interface PullRequest {
  /** As in the manifest. */
  readonly image: string
  readonly login?: RegistryLogin
  /** The pod that needs it; its sandbox as it was asked for. */
  readonly sandbox?: SandboxSpec
}

/** How a registry knows a caller; empty fields are not sent. */
export interface RegistryLogin {
  readonly username: string
  readonly password: string
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
  /** The working set. */
  readonly memoryBytes: number
  /** Its memory in detail, if the runtime measures that. */
  readonly memory?: MemoryDetail
  /** What it has written into its own files, if the runtime measures that. */
  readonly layer?: { readonly bytes: number; readonly inodes: number }
}

export interface MemoryDetail {
  readonly usageBytes: number
  readonly residentBytes: number
  readonly pageFaults: number
  readonly majorPageFaults: number
}

/** What a pod uses that its containers share. */
export interface SandboxStats {
  readonly podUid: string
  /** That of its address first. */
  readonly networks: readonly NetworkUse[]
  readonly processes: number
}

export interface NetworkUse {
  readonly name: string
  readonly rxBytes: number
  readonly rxErrors: number
  readonly txBytes: number
  readonly txErrors: number
}

/** The file system that has images and writable layers. */
export interface ImageFileSystem {
  /** A folder on it. */
  readonly folder: string
  /** What images take. */
  readonly usedBytes: number
  readonly inodesUsed: number
}

export interface LogOptions {
  readonly tailLines?: number
  readonly timestamps?: boolean
  /** Only output since this time (milliseconds since the Unix epoch). */
  readonly sinceMs?: number
  /** Continue with new output until the container ends or the signal is aborted. */
  readonly follow?: boolean
}

/** The disk usage of a pod's containers. */
export interface PodFiles {
  /** Bytes in writable layers, by container. */
  readonly layers: ReadonlyMap<string, number>
  /** Bytes, by volume. */
  readonly volumes: ReadonlyMap<string, number>
}

/** Which sandboxes or containers: all, or those of one pod. */
export interface PodFilter {
  readonly podUid?: string
}

/** A list; not a promise if the runtime knows it without I/O, because each pod is listed often. */
export type Listed<T> = Later<readonly T[]>

/**
 * Runs containers: the operations of the Container Runtime Interface over any implementation (memory, processes, containerd). Every
 * operation may take long and may fail with `RuntimeError`. Aborting a signal ends the wait, but not the operation: list to know its
 * result.
 * The runtime outlives its agents: an agent that starts lists sandboxes and containers before it acts. `runtime.contract.ts` defines the
 * details.
 */
export interface Runtime {
  readonly name: string
  readonly version: string
  status(signal: AbortSignal): Promise<RuntimeStatus>

  /** Resolves with the sandbox's id when its network is ready. */
  runSandbox(spec: SandboxSpec, signal: AbortSignal): Promise<string>
  /** Kills what still runs in it and releases its network. Idempotent, also for an unknown id. */
  stopSandbox(id: string, signal: AbortSignal): Promise<void>
  /** Removes it with its containers and logs. */
  removeSandbox(id: string, signal: AbortSignal): Promise<void>
  /** Newest first. */
  sandboxes(filter: PodFilter, signal: AbortSignal): Listed<SandboxStatus>

  imageStatus(image: string, signal: AbortSignal): Promise<Image | undefined>
  pullImage(request: PullRequest, signal: AbortSignal): Promise<Image>
  images(signal: AbortSignal): Promise<readonly Image[]>
  removeImage(image: string, signal: AbortSignal): Promise<void>
  /** Absent, or undefined: not known. */
  imageFileSystem?(signal: AbortSignal): Promise<ImageFileSystem | undefined>

  createContainer(sandboxId: string, spec: ContainerSpec, signal: AbortSignal): Promise<string>
  startContainer(id: string, signal: AbortSignal): Promise<void>
  /**
   * Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when it has ended. A second call with less grace shortens the first. Idempotent
   * for ended containers.
   */
  stopContainer(id: string, graceMs: number, signal: AbortSignal): Promise<void>
  /** Kills it if it runs; removes its logs too. */
  removeContainer(id: string, signal: AbortSignal): Promise<void>
  /** Newest first. */
  containers(filter: PodFilter, signal: AbortSignal): Listed<ContainerStatus>
  updateResources(id: string, resources: ContainerResources, signal: AbortSignal): Promise<void>

  /** Runs a command to its end; fails with `deadline` if it takes longer than `timeoutMs` (0: no limit). */
  execSync(id: string, command: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<ExecResult>
  /** Runs a command on these streams; resolves when it has ended. */
  exec(id: string, command: readonly string[], streams: ProcessStreams, signal: AbortSignal): Promise<{ readonly exitCode: number }>
  /** Attaches to the container's main process; resolves when it has ended, or when the client disconnects. */
  attach(id: string, streams: ProcessStreams, signal: AbortSignal): Promise<void>
  /** Connects the client to a port inside the sandbox; resolves when either side closes. */
  portForward(sandboxId: string, port: number, connection: ByteDuplex, signal: AbortSignal): Promise<void>

  /** The amounts of a whole pod have changed: for runtimes that keep pods in machines of their own. Absent: not supported. */
  updateSandbox?(id: string, amounts: SandboxAmounts, signal: AbortSignal): Promise<void>

  /** Writes the state of a running container into a file of the node. Absent: not supported. `timeoutS` 0: no limit. */
  checkpoint?(id: string, location: string, timeoutS: number, signal: AbortSignal): Promise<void>

  /** What people should know of a container that has started, such as that nothing runs in it. Absent, or undefined: nothing. */
  remark?(id: string): string | undefined

  /** Kills a container that exceeds its memory limit. Absent: the kernel does that. */
  outOfMemory?(id: string): void
  /** The disk usage of a pod's containers, if the runtime knows it. */
  podFiles?(podUid: string): PodFiles | undefined
  /** The content of a file of a pod's volume, if the runtime manages volumes; undefined: there is no such file. */
  readVolumeFile?(podUid: string, volume: string, path: string): Later<string | undefined>
  /** The pod has changed in the API: for a runtime that manages volumes. */
  podChanged?(podUid: string): void
  stats(filter: PodFilter, signal: AbortSignal): Promise<readonly ContainerStats[]>
  /** Of all pods that run. Absent: not measured. */
  sandboxStats?(signal: AbortSignal): Promise<readonly SandboxStats[]>
  /** The container's output, oldest first, in chunks of whole lines; undefined if the container does not exist (any more). */
  logs(id: string, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<string> | undefined>

  /** The container's output goes into a new file from now on: its log was moved away. Absent: logs are no files. */
  reopenLog?(id: string, signal: AbortSignal): Promise<void>

  /** Delivers events from now on, until the signal is aborted; rejects when the stream breaks (then list, and call it again). */
  events(notify: (event: RuntimeEvent) => void, signal: AbortSignal): Promise<void>
}

/** The sandboxes and containers of a pod. */
export interface RuntimePod {
  /** Newest first. */
  readonly sandboxes: readonly SandboxStatus[]
  /** Newest first. */
  readonly containers: readonly ContainerStatus[]
}

/** Lists everything by pod UID: the starting point of an agent. */
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

/** The read-only part of a runtime. */
export type RuntimeView = Pick<Runtime, 'sandboxes' | 'containers'>

/** The current sandboxes and containers of one pod; not a promise if the runtime responds synchronously. */
export function runtimePod(runtime: RuntimeView, podUid: string, signal: AbortSignal): Later<RuntimePod> {
  const sandboxes = runtime.sandboxes({ podUid }, signal)
  const containers = runtime.containers({ podUid }, signal)
  if (!(sandboxes instanceof Promise) && !(containers instanceof Promise)) return { sandboxes, containers }
  return Promise.all([sandboxes, containers]).then(([s, c]) => ({ sandboxes: s, containers: c }))
}

export const hasRunning = (pod: RuntimePod | undefined): boolean => pod?.containers.some((c) => c.state !== 'exited') === true
