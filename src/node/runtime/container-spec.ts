import type { ContainerSecurity, IdMapping, PortMapping, SandboxSecurity } from './security.ts'

/** Identifies a pod. */
export interface PodRef {
  readonly uid: string
  readonly name: string
  readonly namespace: string
}

/** The lines of a `resolv.conf` (`DNSConfig` of the Container Runtime Interface). */
export interface DnsConfig {
  readonly servers: readonly string[]
  readonly searches: readonly string[]
  /** `ndots:5`, `edns0`. */
  readonly options: readonly string[]
}

/** A pod's sandbox: its network and its names. */
export interface SandboxSpec {
  readonly pod: PodRef
  /** Counts from 0: the number of earlier sandboxes of this pod. */
  readonly attempt: number
  readonly hostname: string
  readonly hostNetwork: boolean
  /** That it was given by another part. Absent: the runtime gives it some. */
  readonly addresses?: readonly string[]
  /** The lines of its `resolv.conf`. */
  readonly dns: DnsConfig
  /** `''` is the runtime's default. */
  readonly runtimeHandler: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Absent: the runtime isolates nothing. */
  readonly isolation?: SandboxIsolation
}

export interface EnvironmentVariable {
  readonly name: string
  readonly value: string
}

export interface Mount {
  /** The volume's name in the pod. */
  readonly volume: string
  readonly containerPath: string
  /** Its path on the node; absent for content that the agent provides. */
  readonly hostPath?: string
  readonly readOnly: boolean
  readonly subPath?: string
  readonly propagation?: 'HostToContainer' | 'Bidirectional'
  /** Mounts below it are read-only too. */
  readonly recursiveReadOnly?: boolean
  /** Owners of its files are shown as ids of the pod's user namespace. */
  readonly userIds?: IdMapping
  /** An image whose files are mounted, by its id, in place of a path of the node. */
  readonly image?: string
}

export interface Device {
  readonly hostPath: string
  readonly containerPath: string
  /** `r`, `w`, `m` in any combination. */
  readonly permissions: string
}

/** Limits that the runtime enforces; absent means unlimited. */
export interface ContainerResources {
  readonly cpuShares?: number
  readonly cpuQuotaUs?: number
  readonly cpuPeriodUs?: number
  readonly memoryLimitBytes?: number
  /** Of memory and swap together. */
  readonly memorySwapLimitBytes?: number
  /** Bytes of huge pages by page size in the kernel's notation: `2MB`. Sizes that are not listed have a limit of 0. */
  readonly hugePageLimits?: Readonly<Record<string, number>>
  readonly cpus?: string
  readonly memoryNodes?: string
  /** From -1000 to 1000: which processes the kernel kills first when memory runs out. */
  readonly oomScoreAdj?: number
}

/** A container with all references to API objects resolved. */
export interface ContainerSpec {
  readonly pod: PodRef
  readonly name: string
  /** Counts from 0. Pod, name and attempt are the container's identity. */
  readonly attempt: number
  /** As in the manifest. */
  readonly image: string
  readonly imageId: string
  /** Replaces the image's entrypoint; empty: the image's own. `$(VAR)` is expanded. */
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly workingDir?: string
  readonly environment: readonly EnvironmentVariable[]
  readonly mounts: readonly Mount[]
  readonly devices: readonly Device[]
  /** Fully qualified names of the Container Device Interface: `vendor.com/class=name`. */
  readonly cdiDevices: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** Stored by the runtime, and read back for recovery. */
  readonly annotations: Readonly<Record<string, string>>
  readonly resources: ContainerResources
  /** The process's user; absent fields come from the image. */
  readonly user: ContainerUser
  readonly stdin: boolean
  readonly tty: boolean
  readonly stopSignal?: string
  /** The process namespace: of the whole pod, or of another container. Absent: its own. */
  readonly processes?: 'pod' | { readonly of: string }
  /** An init container that runs along with the others. */
  readonly sidecar?: boolean
  /** An init container that runs before the others. */
  readonly init?: boolean
  /** Absent: the runtime isolates nothing. */
  readonly isolation?: ContainerIsolation
}

export interface ContainerUser {
  readonly uid?: number
  readonly gid?: number
  readonly supplementalGroups: readonly number[]
}

/** More about a pod, for runtimes that isolate pods. */
export interface SandboxIsolation {
  /** The folder of the logs of its containers. */
  readonly logDirectory: string
  /** The control group of the pod, from the root of the hierarchy on. */
  readonly cgroupParent: string
  readonly ports: readonly PortMapping[]
  readonly sysctls: Readonly<Record<string, string>>
  readonly security: SandboxSecurity
  /** Of all containers together. */
  readonly resources: ContainerResources
  readonly overhead: ContainerResources
}

/** More about a container, for runtimes that isolate containers. */
export interface ContainerIsolation {
  /** The request of its pod's sandbox. */
  readonly sandbox: SandboxSpec
  /** In the pod's folder of logs. */
  readonly logPath: string
  readonly security: ContainerSecurity
  /** Standard input is closed when the first client that attached to it leaves. */
  readonly stdinOnce: boolean
}

/** What an admission handler adds to a container: the result of a device plugin's `Allocate`, the CPU set of the CPU manager, … */
export type ContainerAdditions = Partial<
  Pick<ContainerSpec, 'environment' | 'mounts' | 'devices' | 'cdiDevices' | 'annotations' | 'resources'>
>

/** Applies additions to a container; of two entries with the same name the later wins. */
export function withAdditions(spec: ContainerSpec, additions: ContainerAdditions): ContainerSpec {
  const names = new Set(additions.environment?.map((e) => e.name))
  return {
    ...spec,
    environment: additions.environment
      ? [...spec.environment.filter((e) => !names.has(e.name)), ...additions.environment]
      : spec.environment,
    mounts: [...spec.mounts, ...(additions.mounts ?? [])],
    devices: [...spec.devices, ...(additions.devices ?? [])],
    cdiDevices: [...spec.cdiDevices, ...(additions.cdiDevices ?? [])],
    annotations: { ...spec.annotations, ...additions.annotations },
    resources: { ...spec.resources, ...additions.resources },
  }
}
