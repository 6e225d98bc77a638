import type { KubeObject } from '../../machinery/object.ts'
import type { NodeSelector } from '../objects.ts'

/** The parts of `resource.k8s.io/v1` that decide about allocation. Names are Kubernetes' own. */
export interface DeviceAttribute {
  readonly int?: number | bigint
  readonly bool?: boolean
  readonly string?: string
  readonly version?: string
}

export interface DeviceTaint {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

export interface DeviceToleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

/** Which amounts of a capacity may be asked for. */
export interface RequestPolicy {
  readonly default?: string
  readonly validValues?: readonly string[]
  readonly validRange?: { readonly min: string; readonly max?: string; readonly step?: string }
}

export interface DeviceCapacity {
  readonly value: string | number
  readonly requestPolicy?: RequestPolicy
}

export interface Device {
  readonly name: string
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>
  readonly consumesCounters?: readonly {
    readonly counterSet: string
    readonly counters: Readonly<Record<string, { readonly value: string }>>
  }[]
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly DeviceTaint[]
  readonly allowMultipleAllocations?: boolean
  readonly bindsToNode?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
}

export interface ResourceSlice extends KubeObject {
  spec: {
    driver: string
    pool: { name: string; generation: number; resourceSliceCount: number }
    nodeName?: string
    nodeSelector?: NodeSelector
    allNodes?: boolean
    perDeviceNodeSelection?: boolean
    devices?: readonly Device[]
    sharedCounters?: readonly { readonly name: string; readonly counters: Readonly<Record<string, { readonly value: string }>> }[]
  }
}

export interface DeviceSelector {
  readonly cel?: { readonly expression: string }
}

/** A request, or one of its alternatives. */
export interface ExactRequest {
  readonly deviceClassName: string
  readonly selectors?: readonly DeviceSelector[]
  readonly allocationMode?: string
  readonly count?: number
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly capacity?: { readonly requests?: Readonly<Record<string, string>> }
}

export interface DeviceRequest {
  readonly name: string
  readonly exactly?: ExactRequest
  readonly firstAvailable?: readonly (ExactRequest & { readonly name: string })[]
}

export interface DeviceConstraint {
  readonly requests?: readonly string[]
  readonly matchAttribute?: string
  readonly distinctAttribute?: string
}

export interface DeviceConfig {
  readonly requests?: readonly string[]
  readonly opaque?: object
}

export interface DeviceResult {
  readonly request: string
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  /** Set where the device is shared: only what it consumes is taken. */
  readonly shareID?: string
  readonly consumedCapacity?: Readonly<Record<string, string>>
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
}

export interface DeviceCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** What a driver says of a device that is allocated. */
export interface DeviceStatus {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly conditions?: readonly DeviceCondition[]
}

export interface Allocation {
  readonly devices: { readonly results: readonly DeviceResult[]; readonly config?: readonly object[] }
  readonly nodeSelector?: NodeSelector
  readonly allocationTimestamp?: string
}

export interface ConsumerReference {
  readonly apiGroup?: string
  readonly resource: string
  readonly name: string
  readonly uid: string
}

export interface ResourceClaim extends KubeObject {
  spec: {
    devices?: {
      readonly requests?: readonly DeviceRequest[]
      readonly constraints?: readonly DeviceConstraint[]
      readonly config?: readonly DeviceConfig[]
    }
  }
  status?: { allocation?: Allocation; reservedFor?: readonly ConsumerReference[]; devices?: readonly DeviceStatus[] }
}

export interface DeviceClass extends KubeObject {
  spec: { selectors?: readonly DeviceSelector[]; config?: readonly DeviceConfig[]; extendedResourceName?: string }
}
