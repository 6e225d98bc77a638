import type { Gateway, Grant, HttpRoute, ObjectRef } from './gateway-types.ts'

/** What a plan is made of. */
export interface GatewayWorld {
  /** Those whose class is served here. */
  readonly gateways: readonly Gateway[]
  readonly routes: readonly HttpRoute[]
  readonly grants: readonly Grant[]
  readonly hasService: (ref: ObjectRef) => boolean
  /** Whether a Secret holds a certificate with its key. */
  readonly hasCertificate: (ref: ObjectRef) => boolean
  /** Whether a label selector of a listener, of whatever shape, selects a namespace. */
  readonly selects: (selector: unknown, namespace: string) => boolean
}

/** Whether an object of one namespace may refer to one of another: a ReferenceGrant there lets it. */
export function isGranted(
  ref: ObjectRef,
  from: { readonly group: string; readonly kind: string; readonly namespace: string },
  grants: readonly Grant[],
): boolean {
  if (ref.namespace === from.namespace) return true
  return grants.some(
    (grant) =>
      grant.namespace === ref.namespace &&
      grant.from.some(({ group, kind, namespace }) => group === from.group && kind === from.kind && namespace === from.namespace) &&
      grant.to.some(({ group, kind, name }) => group === ref.group && kind === ref.kind && (name === '' || name === ref.name)),
  )
}
