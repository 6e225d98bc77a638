import type { JsonObject } from '../../machinery/object.ts'
import type { DeviceAttribute as ApiAttribute, CounterSet, Device, DeviceCapacity, ResourceClaim } from '../../resources/types/resource.ts'

/** An attribute of a device: string, integer, boolean, version, or in the API's form (`{ strings: ['a', 'b'] }`). */
export type DeviceAttribute = string | number | boolean | ApiAttribute

/** A device that a driver offers. */
export interface DraDevice {
  /** Unique within its pool; a DNS label. */
  readonly name: string
  /** By name; one without a domain is the driver's own. */
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>
  /** Amounts: `40Gi`, or a capacity as the API writes it (`{ value, requestPolicy }`). */
  readonly capacity?: Readonly<Record<string, string | DeviceCapacity>>
  /**
   * Reported in the statuses of pods that use it, together with `message`. Default: no report. To keep new claims away as well, set a taint
   * in `more`.
   */
  readonly healthy?: boolean
  /** Why it is as it is; at most 1,024 characters. */
  readonly message?: string
  /** Other fields of `resource.k8s.io/v1` devices: `taints`, `allowMultipleAllocations`, `consumesCounters`, `bindingConditions`, … */
  readonly more?: Omit<Device, 'name' | 'attributes' | 'capacity'>
}

/** Devices that are published together. */
export interface DevicePool {
  readonly devices: readonly DraDevice[]
  /** What partitions of devices take of, as the API writes it. */
  readonly sharedCounters?: readonly CounterSet[]
}

/** A device of a claim. */
export interface ClaimedDevice {
  /** The claim's request that it was chosen for; of an alternative, `request/alternative`. */
  readonly request: string
  readonly pool: string
  readonly device: string
  /** Of a device that several claims share. */
  readonly shareId?: string
  /** Allocated in addition to other claims, for monitoring. */
  readonly adminAccess: boolean
  /** What the claim takes of a device that several share. */
  readonly consumedCapacity: Readonly<Record<string, string>>
  /** Parameters for this driver: those of the class first, then those of the claim. */
  readonly parameters: readonly JsonObject[]
}

/** Which claim is meant. */
export interface ClaimIdentity {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** A claim that pods are about to use. */
export interface ClaimToPrepare extends ClaimIdentity {
  /** Its devices that are this driver's. */
  readonly devices: readonly ClaimedDevice[]
  /** The claim as the API has it. */
  readonly object: Readonly<ResourceClaim>
}

/** A device that is ready; of `ClaimedDevice` the same fields. */
export interface ReadyDevice {
  readonly request: string
  readonly pool: string
  readonly device: string
  readonly shareId?: string
  /** Names of the Container Device Interface that its containers get: `vendor.com/class=name`. */
  readonly cdi: readonly string[]
}

/** A driver of dynamic resource allocation: which devices there are, and what makes them ready. */
export interface DraDriver {
  /** A DNS subdomain: `gpu.example.com`. */
  readonly name: string
  /**
   * All current devices of the node: of one pool with the node's name, or of pools by name. Called at the start, every `everyMs`, and by
   * `refresh`. If it rejects, the published slices stay, and no device's health is reported.
   */
  discover(signal: AbortSignal): DiscoveredDevices | Promise<DiscoveredDevices>
  /**
   * Makes a claim ready, before the first pod that uses it starts; again after restarts: what is ready already has to be so afterwards.
   * What is thrown holds back the pod, with that message. Claims come one after the other. Default: nothing has to be done, and containers
   * get nothing.
   */
  prepare?(claim: ClaimToPrepare): readonly ReadyDevice[] | Promise<readonly ReadyDevice[]>
  /** Releases a claim when the last pod that used it has stopped; the claim's object may be gone, and it may never have been ready. */
  unprepare?(claim: ClaimIdentity): void | Promise<void>
}

/** What a driver finds on a node. */
export type DiscoveredDevices = readonly DraDevice[] | ReadonlyMap<string, DevicePool>
