import { isObject, type OwnerReference, parseApiVersion } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Scale } from '../../resources/types/autoscaling-v1.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import type { Informers } from '../frame/informers.ts'

export interface ScaleDeps {
  readonly client: Client
  readonly catalogue: Catalogue
  readonly informers: Pick<Informers, 'peek'>
}

/** The desired replicas of the pods' controllers cannot be found out; the message is Kubernetes'. */
export class NoScale extends Error {
  override readonly name = 'NoScale'
}

/** Kinds whose size is that of their own specification. */
const WORKLOADS: ReadonlySet<string> = new Set(['replicationcontrollers.', 'replicasets.apps', 'deployments.apps', 'statefulsets.apps'])

/**
 * The desired replicas of an object; undefined if there is no such object. Local copies of workloads are read before the server, in
 * whichever version.
 * @throws {NoScale} for a kind that is not served in that version or has no scale, and for an answer of the server that is none
 */
export async function scaleOf(deps: ScaleDeps, namespace: string, owner: OwnerReference): Promise<number | undefined> {
  const { client, catalogue, informers } = deps
  const { apiVersion, kind, name, uid } = owner
  const gv = parseApiVersion(apiVersion)
  if (gv === undefined) throw new NoScale(`unexpected GroupVersion string: ${apiVersion}`)
  const anyVersion = await catalogue.ofKind(gv.group, kind)
  const isWorkload = anyVersion !== undefined && WORKLOADS.has(`${anyVersion.resource}.${anyVersion.group}`)
  const copy = isWorkload ? informers.peek(anyVersion)?.get(`${namespace}/${name}`) : undefined
  const wanted = copy?.metadata.uid === uid ? copy && readPath(copy, ['spec', 'replicas']) : undefined
  if (typeof wanted === 'number') return wanted
  const entry = await catalogue.ofKind(gv.group, kind, gv.version)
  if (entry === undefined) throw new NoScale(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`)
  const { group, version, resource } = entry
  try {
    const { metadata, spec } = await client.get<Scale>({ group, version, resource, namespace, name, subresource: 'scale' })
    return metadata.uid === uid ? (spec?.replicas ?? 0) : undefined
  } catch (error) {
    if (isStatus(error, 'NotFound')) {
      if (await hasScale(client, entry)) return undefined
      throw new NoScale(`${resource}${group === '' ? '' : `.${group}`} does not implement the scale subresource`)
    }
    throw isStatus(error) ? new NoScale(error.message, { cause: error }) : error
  }
}

async function hasScale(client: Pick<Client, 'page'>, { group, version, resource }: ResourceRef): Promise<boolean> {
  const { value } = await client.page(group === '' ? `/api/${version}` : `/apis/${group}/${version}`)
  const served = Array.isArray(value?.resources) ? value.resources : []
  return served.some((r) => isObject(r) && r.name === `${resource}/scale`)
}
