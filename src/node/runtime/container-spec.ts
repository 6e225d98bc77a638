/** Which pod something belongs to. */
export interface PodRef {
  readonly uid: string
  readonly name: string
  readonly namespace: string
}

/** How names are resolved: the lines of a `resolv.conf` (`DNSConfig` of the Container Runtime Interface). */
export interface DnsConfig {
  readonly servers: readonly string[]
  readonly searches: readonly string[]
  /** `ndots:5`, `edns0`. */
  readonly options: readonly string[]
}

/** Everything a runtime needs to know of a pod before any of its containers: its network, its names. */
export interface SandboxSpec {
  readonly pod: PodRef
  /** Counts from 0: how many sandboxes this pod had before. */
  readonly attempt: number
  readonly hostname: string
  readonly hostNetwork: boolean
  /** The lines of its `resolv.conf`. */
  readonly dns: DnsConfig
  /** `''` is the runtime's default. */
  readonly runtimeHandler: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export interface EnvironmentVariable {
  readonly name: string
  readonly value: string
}

export interface Mount {
  /** The volume's name in the pod. */
  readonly volume: string
  readonly containerPath: string
  /** Where it lies on the node; absent where the volume is content that the agent holds. */
  readonly hostPath?: string
  readonly readOnly: boolean
  readonly subPath?: string
  readonly propagation?: 'HostToContainer' | 'Bidirectional'
}

export interface Device {
  readonly hostPath: string
  readonly containerPath: string
  /** `r`, `w`, `m` in any combination. */
  readonly permissions: string
}

/** Amounts as the runtime enforces them; absent means not limited. */
export interface ContainerResources {
  readonly cpuShares?: number
  readonly cpuQuotaUs?: number
  readonly cpuPeriodUs?: number
  readonly memoryLimitBytes?: number
  /** Bytes of huge pages, by the kernel's name of a page size: `2MB`. Of a size that is not named it gets none. */
  readonly hugePageLimits?: Readonly<Record<string, number>>
  readonly cpus?: string
  readonly memoryNodes?: string
}

/** A container, resolved: nothing in it refers to other objects of the API any more. */
export interface ContainerSpec {
  readonly pod: PodRef
  readonly name: string
  /** Counts from 0. Pod, name and attempt are the container's identity. */
  readonly attempt: number
  /** As the manifest names it. */
  readonly image: string
  readonly imageId: string
  /** In place of the image's own; empty: the image's own. `$(VAR)` is expanded. */
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly workingDir?: string
  readonly environment: readonly EnvironmentVariable[]
  readonly mounts: readonly Mount[]
  readonly devices: readonly Device[]
  /** Fully qualified names of the Container Device Interface: `vendor.com/class=name`. */
  readonly cdiDevices: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** Kept by the runtime; who recovers a container reads them back. */
  readonly annotations: Readonly<Record<string, string>>
  readonly resources: ContainerResources
  /** Who the process runs as; what is absent is the image's own. */
  readonly user: ContainerUser
  readonly stdin: boolean
  readonly tty: boolean
  readonly stopSignal?: string
  /** Whose processes it sees, and they its own: those of all containers of its pod, or those of one of them. Absent: nobody else's. */
  readonly processes?: 'pod' | { readonly of: string }
  /** An init container that runs beside the others. */
  readonly sidecar?: boolean
  /** An init container that the others wait for. */
  readonly init?: boolean
}

export interface ContainerUser {
  readonly uid?: number
  readonly gid?: number
  readonly supplementalGroups: readonly number[]
}

/** What a handler of admission adds to a container: the result of a device plugin's `Allocate`, the cores of a CPU manager, … */
export type ContainerAdditions = Partial<
  Pick<ContainerSpec, 'environment' | 'mounts' | 'devices' | 'cdiDevices' | 'annotations' | 'resources'>
>

/** The container with what was added to it; what comes later wins where both name the same. */
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
