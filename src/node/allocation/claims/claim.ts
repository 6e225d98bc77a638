import type { KubeObject } from '../../../machinery/object.ts'

/** The parts of a ResourceClaim that a node reads. */
export interface Claim extends KubeObject {
  readonly status?: {
    readonly allocation?: {
      readonly devices?: { readonly results?: readonly { readonly driver: string }[] }
    }
    readonly reservedFor?: readonly { readonly uid: string }[]
  }
}

/** Why claims cannot be prepared; the message is the kubelet's, and goes into an event of the pod. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError'
  readonly code = 'claim'
}
