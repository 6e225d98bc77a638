import { type ResourceDefinition, type Subresource, subresourcesOf, type Verb } from '../../machinery/resource/definition.ts'
import { badRequest, methodNotAllowed, notFound, StatusError } from '../../machinery/status-error.ts'
import type { ResourceRegistry, ServedResource } from '../cache/resource-registry.ts'
import type { PathTarget, RequestInfo } from '../request/request-info.ts'

const NAMED: ReadonlySet<Verb> = new Set(['get', 'update', 'patch', 'delete'])

/** The target of a path. */
export interface Route {
  readonly served: ServedResource
  readonly subresource: Subresource | undefined
}

const ALL: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

/** Finds the resource of a path. Undefined if the group is unknown. Throws 404 or 405 for what the group does not have. */
export function route(definitions: ResourceRegistry, info: RequestInfo, target: PathTarget): Route | undefined {
  // The core group has its paths under /api alone.
  if (target.group === '' && !info.path.startsWith('/api/')) return undefined
  const served = definitions.served(target.group, target.version, target.resource)
  if (served === undefined) {
    // Groups of custom resources alone have no paths but those of served resources.
    if (definitions.hasGroup(target.group) && !isCustomGroup(definitions, target.group)) throw noResource()
    return undefined
  }
  const { definition } = served
  if (definition.customDefinition !== undefined && isElsewhere(definition, info, target)) return undefined
  const subresource = subresourceOf(served, target)
  if (definition.scope === 'Cluster' && target.namespaced) throw noResource()
  const everywhere = definition.scope === 'Namespaced' && !target.namespaced
  if (everywhere && pathName(info, target) !== '') throw noResource()
  const verbs = verbsAt(served, subresource, everywhere)
  if (everywhere && verbs.length === 0) throw noResource()
  if (target.prefix !== '' && !(verbs as readonly string[]).includes(target.prefix))
    throw definition.customDefinition === undefined ? noResource() : notAllowed(definition, info, target)
  // Create-only resources (reviews) have no paths below the collection.
  if (subresource === undefined && pathName(info, target) !== '' && !verbs.some((v) => NAMED.has(v))) throw noResource()
  // Connect subresources are routed by method, not by verb: some methods (OPTIONS) have no verb, and HEAD is a read.
  const handedOn = subresource?.kind === 'connect' && subresource.methods.includes(info.method)
  if (
    !handedOn &&
    ((info.method === 'HEAD' && definition.customDefinition === undefined) ||
      !(verbs as readonly string[]).includes(info.verb) ||
      !fits(definition, info, target))
  )
    throw notAllowed(definition, info, target)
  return { served, subresource }
}

/** The error of a verb that a path does not have. */
function notAllowed({ customDefinition, group, names }: ResourceDefinition, { verb }: RequestInfo, { name, prefix }: PathTarget) {
  if (customDefinition === undefined) return methodNotAllowedHere()
  // The path of a collection of custom resources takes every verb, and then misses the name.
  const changes = verb === 'update' || verb === 'patch'
  return changes && name === '' && prefix === ''
    ? badRequest('name must be provided')
    : methodNotAllowed({ group, resource: names.plural }, verb)
}

/** A custom resource addressed in the wrong scope is not found. */
function isElsewhere({ scope }: ResourceDefinition, { verb }: RequestInfo, target: PathTarget): boolean {
  if (scope === 'Cluster') return target.namespaced
  return !target.namespaced && verb !== 'list' && verb !== 'watch'
}

/** True for a group of custom resources only. */
export const isCustomGroup = (definitions: ResourceRegistry, group: string) =>
  definitions.ofGroup(group).every((d) => d.customDefinition !== undefined)

/** Some verbs need a collection, others a single object. The watch prefix needs a read; custom resources are watched by any method. */
function fits({ customDefinition }: ResourceDefinition, { verb, method }: RequestInfo, target: PathTarget): boolean {
  if (target.prefix === 'watch') return method === 'GET' || customDefinition !== undefined
  const single = target.name !== ''
  // The address of a custom object takes a create as its collection does.
  if (verb === 'create') return !single || target.subresource !== '' || customDefinition !== undefined
  return (verb !== 'update' && verb !== 'patch') || single
}

/** The name in the path (not one from a field selector). */
const pathName = (info: RequestInfo, target: PathTarget) =>
  ['list', 'watch', 'deletecollection'].includes(info.verb) && target.prefix === '' ? '' : target.name

function subresourceOf({ definition, version }: ServedResource, target: PathTarget): Subresource | undefined {
  if (target.subresource === '') return undefined
  const known = subresourcesOf(definition, version)
  const subresource = Object.hasOwn(known, target.subresource) ? known[target.subresource] : undefined
  if (subresource === undefined && definition.customDefinition !== undefined) {
    throw notFound({ group: definition.group, resource: definition.names.plural }, target.name)
  }
  if (subresource === undefined || target.prefix === 'watch') throw noResource()
  // Of custom resources what follows the subresource is passed over.
  const takesRest = definition.customDefinition !== undefined || (subresource.kind === 'connect' && target.subresource === 'proxy')
  if (target.rest !== '' && !takesRest) throw noResource()
  return subresource
}

function verbsAt({ definition }: ServedResource, subresource: Subresource | undefined, everywhere: boolean): readonly Verb[] {
  if (subresource !== undefined) return subresourceVerbs(subresource)
  const verbs = definition.verbs ?? (definition.review === undefined ? ALL : ['create'])
  return everywhere ? verbs.filter((v) => v === 'list' || v === 'watch') : verbs
}

/** The verbs that a subresource serves. */
export function subresourceVerbs(subresource: Subresource): readonly Verb[] {
  if (subresource.kind === 'scale') return ['get', 'update', 'patch']
  if (subresource.kind === 'status') return subresource.verbs ?? ['get', 'update', 'patch']
  return subresource.verbs
}

/** 404 for a path without a resource. */
export const noResource = () =>
  new StatusError({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource', details: {} })

/** 405 for a method that a path does not support. */
export const methodNotAllowedHere = () =>
  new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  })
