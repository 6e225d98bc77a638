import { type OwnerReference, parseApiVersion } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Scale } from '../../resources/types/autoscaling-v1.ts'
import type { Client, ResourceRef, Target } from '../../sdk/client/client.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import type { Informers } from '../frame/informers.ts'

export interface ScaleDeps {
  readonly client: Client
  readonly catalogue: Catalogue
  readonly informers: Pick<Informers, 'peek'>
}

/** The controller of the pods has no scale subresource. */
export class NoScale extends Error {
  override readonly name = 'NoScale'
  constructor({ group, resource }: ResourceRef) {
    super(`${resource}${group === '' ? '' : `.${group}`} does not implement the scale subresource`)
  }
}

/**
 * The desired replicas of an object; undefined if it or its kind does not exist. Its local copy is read before the server.
 * @throws {NoScale} for an object without a scale
 */
export async function scaleOf(deps: ScaleDeps, namespace: string, owner: OwnerReference): Promise<number | undefined> {
  const { client, catalogue, informers } = deps
  const gv = parseApiVersion(owner.apiVersion)
  const entry = gv && (await catalogue.ofKind(gv.group, owner.kind))
  if (entry === undefined) return undefined
  const copy = informers.peek(entry)?.get(`${namespace}/${owner.name}`)
  const wanted = copy && readPath(copy, ['spec', 'replicas'])
  if (typeof wanted === 'number') return wanted
  const { group, version, resource } = entry
  const target = { group, version, resource, namespace, name: owner.name }
  try {
    return (await client.get<Scale>({ ...target, subresource: 'scale' })).spec?.replicas ?? 0
  } catch (error) {
    if (!isStatus(error)) throw error
    if (isStatus(error, 'NotFound') && (await exists(client, target))) throw new NoScale(entry)
    return undefined
  }
}

async function exists(client: Client, target: Target): Promise<boolean> {
  try {
    await client.get(target)
    return true
  } catch (error) {
    if (!isStatus(error)) throw error
    return false
  }
}
