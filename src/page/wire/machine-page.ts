import type { Tone } from './object-name.ts'

/** A node: its parts, and which pod has them. */
export interface MachinePage {
  readonly facts: readonly (readonly [name: string, text: string])[]
  readonly resources: readonly MachineResource[]
  /** `''`: no topology is known of it; then `numa` and `devices` are empty. */
  readonly policy: string
  readonly numa: readonly MachineNuma[]
  /** Devices of no NUMA node. */
  readonly devices: readonly MachineDevices[]
  /** Devices of drivers (DRA), and the claims of the node's pods. */
  readonly slices: readonly MachineSlice[]
  readonly claims: readonly MachineClaim[]
  readonly pods: readonly MachinePod[]
  readonly morePods: number
}

export interface MachineResource {
  readonly name: string
  readonly capacity: string
  readonly allocatable: string
  /** By pods that have not ended. */
  readonly requested: string
  /** Of what is allocatable: 0 to 1. */
  readonly share: number
}

export interface MachineNuma {
  readonly id: number
  readonly cpus: readonly MachineCpu[]
  /** In bytes. */
  readonly memory: readonly { readonly type: string; readonly total: number; readonly reserved: number; readonly used: number }[]
  readonly devices: readonly MachineDevices[]
}

export interface MachineCpu {
  readonly id: number
  readonly core: number
  readonly socket: number
  readonly use: 'pod' | 'reserved' | 'shared'
  /** `namespace/name` of the pod that has it for itself. */
  readonly pod: string
}

export interface MachineDevices {
  readonly resource: string
  readonly total: number
  readonly free: number
  readonly unhealthy: number
  /** `pod` is `''` where the device is free. */
  readonly devices: readonly { readonly id: string; readonly healthy: boolean; readonly pod: string }[]
}

export interface MachineSlice {
  readonly driver: string
  readonly pool: string
  readonly devices: readonly string[]
  readonly unlisted: number
}

export interface MachineClaim {
  readonly namespace: string
  readonly name: string
  readonly devices: readonly string[]
  readonly pods: readonly string[]
}

export interface MachinePod {
  readonly namespace: string
  readonly name: string
  readonly tone: Tone
  readonly health: string
  /** What it has for itself, in one sentence. */
  readonly has: string
  readonly hints: readonly MachineHint[]
}

/** On which NUMA nodes a provider would meet a request: masks with node 0 last, `!` where preferred. */
export interface MachineHint {
  readonly container: string
  readonly provider: string
  readonly masks: string
}
