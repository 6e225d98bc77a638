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
}

export interface DeviceToleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
}

export interface Device {
  readonly name: string
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>
  readonly capacity?: Readonly<Record<string, { readonly value: string | number }>>
  readonly consumesCounters?: readonly {
    readonly counterSet: string
    readonly counters: Readonly<Record<string, { readonly value: string }>>
  }[]
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly DeviceTaint[]
  readonly allowMultipleAllocations?: boolean
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
  status?: { allocation?: Allocation; reservedFor?: readonly ConsumerReference[] }
}

export interface DeviceClass extends KubeObject {
  spec: { selectors?: readonly DeviceSelector[]; config?: readonly DeviceConfig[] }
}
