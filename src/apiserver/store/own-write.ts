import type { ResourceRef } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { subresourcesOf } from '../../machinery/resource/definition.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { notFound } from '../../machinery/status-error.ts'
import type { ResourceRegistry, ServedResource } from '../cache/resource-registry.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Write } from './write.ts'

/** Identifies one object, whatever its version. */
export interface ObjectKey {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** A key that carries the type of its object for the compiler, as a `ResourceRef` does: `{ ...PODS, namespace, name }`. */
export type TypedKey<T extends KubeObject> = ObjectKey & Partial<ResourceRef<T>>

/** Options of the server's own writes. */
export interface ServerWrite {
  /** Default: the server. */
  readonly user?: UserInfo
  /** The subresource path; default `''`, the resource itself. */
  readonly subresource?: string
  /** Nothing is stored. */
  readonly dryRun?: boolean
  /** Record the server as field manager, as Kubernetes does for writes through a client of its own. */
  readonly noted?: boolean
}

/** The field manager of Kubernetes' own client. */
const NAME = 'kube-apiserver'
const SERVER: UserInfo = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] }
const OWN_REQUEST: RequestContext = { user: SERVER, signal: new AbortController().signal, warn() {}, annotate() {} }
const NO_ADMISSION: Write['admission'] = []
const NO_OPTIONS: KubeObject = { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', metadata: {} }

/** A write of the server itself: without admission and without a field manager. Throws 404 for an unknown resource. */
export function ownWrite(definitions: ResourceRegistry, key: ObjectKey, how: ServerWrite = {}): Write {
  const served = servedBy(definitions, key)
  const subresource = how.subresource ?? ''
  return {
    served,
    place: { namespace: key.namespace, name: key.name, subresource },
    subresource: subresource === '' ? undefined : subresourcesOf(served.definition, served.version)[subresource],
    request: how.user === undefined ? OWN_REQUEST : { ...OWN_REQUEST, user: how.user },
    manager: how.noted === true ? NAME : undefined,
    dryRun: how.dryRun === true,
    options: NO_OPTIONS,
    admission: NO_ADMISSION,
  }
}

/** The resource in its storage version, whether that is served or not. Throws 404 for an unknown one. */
export function servedBy(definitions: ResourceRegistry, { group, resource, name }: ObjectKey): ServedResource {
  const definition = definitions.get(group, resource)
  const served = definition && definitions.served(group, definition.storageVersion, resource)
  if (served !== undefined) return served
  const version = definition?.versions.find((v) => v.version === definition.storageVersion)
  if (definition === undefined || version === undefined) throw notFound({ group, resource }, name)
  return { definition, version }
}
