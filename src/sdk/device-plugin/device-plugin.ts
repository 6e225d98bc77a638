/** A device that a plugin offers. */
export interface OfferedDevice {
  /** Unique within the resource. */
  readonly id: string
  /** An unhealthy device is in the capacity but never allocated. Default: true. */
  readonly healthy?: boolean
  /** The NUMA nodes that it is near to. Default: no topology. */
  readonly numaNodes?: readonly number[]
}

/** What a container gets with its devices; everything may be left out. */
export interface DeviceGrant {
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Device files. `containerPath` defaults to `hostPath`, `permissions` to `rw`. */
  readonly devices?: readonly { readonly hostPath: string; readonly containerPath?: string; readonly permissions?: string }[]
  /** Files and folders. `containerPath` defaults to `hostPath`, `readOnly` to false. */
  readonly mounts?: readonly { readonly hostPath: string; readonly containerPath?: string; readonly readOnly?: boolean }[]
  readonly annotations?: Readonly<Record<string, string>>
  /** Names of the Container Device Interface: `vendor.com/class=name`. */
  readonly cdi?: readonly string[]
}

/** A request for a preferred allocation. */
export interface DeviceChoice {
  readonly available: readonly string[]
  /** Those of `available` that the container gets in any case. */
  readonly required: readonly string[]
  /** How many it gets in all. */
  readonly count: number
}

/** A device plugin: which resource, which devices, and what a container gets with them. */
export interface DevicePlugin {
  /** The extended resource: `example.com/dongle`. */
  readonly resource: string
  /** All current devices. Called at the start, every `everyMs`, and by `refresh`. If it rejects, all devices are reported as unhealthy. */
  discover(signal: AbortSignal): readonly OfferedDevice[] | Promise<readonly OfferedDevice[]>
  /**
   * What a container gets for these devices; what is thrown refuses the pod, with that message. Default: nothing but the devices' being
   * counted.
   */
  allocate?(ids: readonly string[]): DeviceGrant | Promise<DeviceGrant>
  /** Which devices it would rather give; they must be `available`. Default: the node chooses. */
  prefer?(choice: DeviceChoice): readonly string[] | Promise<readonly string[]>
  /** Called before each start of a container that holds these devices: to reset them, for example. An exception prevents the start. */
  preStart?(ids: readonly string[]): void | Promise<void>
}
