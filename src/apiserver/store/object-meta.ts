import { timestamp } from '../../base/clock.ts'
import { type FieldError, index, invalid } from '../../machinery/field-error.ts'
import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { badRequest } from '../../machinery/status-error.ts'
import type { StoreDeps, Write } from './write.ts'

/** Removes the fields that only the server sets. */
export function wipeSystemFields(draft: KubeObject): void {
  const meta = draft.metadata
  delete meta.uid
  delete meta.creationTimestamp
  delete meta.deletionTimestamp
  delete meta.deletionGracePeriodSeconds
  delete meta.selfLink
}

/** Fills in the namespace of the request; throws if the object names another. */
export function fillNamespace(draft: KubeObject, namespaced: boolean, namespace: string): void {
  const meta = draft.metadata
  const wanted = namespaced ? namespace : ''
  if (wanted === '') delete meta.namespace
  else if (meta.namespace === undefined || meta.namespace === '') meta.namespace = wanted
  else if (meta.namespace !== wanted)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}

/** Sets uid and creation time of a new object. */
export function fillSystemFields(deps: Pick<StoreDeps, 'clock' | 'random'>, draft: KubeObject): void {
  draft.metadata.uid = deps.random.uuid()
  draft.metadata.creationTimestamp = timestamp(deps.clock.now())
}

const LONGEST_NAME = 63
const SUFFIX = 5

/** A name from `generateName`, cut so that the random suffix fits. */
export function generatedName(deps: Pick<StoreDeps, 'random'>, prefix: string): string {
  return prefix.slice(0, LONGEST_NAME - SUFFIX) + deps.random.suffix(SUFFIX)
}

/** Removes duplicate owner references, with a warning; `admitted`: of an object that mutating admission has seen. */
export function dedupOwners({ request }: Pick<Write, 'request'>, draft: KubeObject, admitted: boolean): void {
  const owners = draft.metadata.ownerReferences
  if (owners === undefined || owners === null || owners.length < 2) return
  // Fast path: most objects have no duplicates.
  if (new Set(owners.map((o) => o.uid)).size === owners.length) return
  const seen = new Map<string, OwnerReference>()
  const twice = new Set<string>()
  for (const o of owners) {
    const key = JSON.stringify([o.apiVersion, o.kind, o.name, o.uid, o.controller ?? null, o.blockOwnerDeletion ?? null])
    if (seen.has(key)) twice.add(o.uid)
    else seen.set(key, o)
  }
  if (twice.size === 0) return
  const when = admitted ? ' after mutating admission happens' : ''
  request.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; ${ADVICE}; duplicate UID(s) observed: ${[...twice].join(', ')}`,
  )
  draft.metadata.ownerReferences = [...seen.values()]
}

const ADVICE = 'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests'

const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

/** Groups whose kinds are validated by the generic rules alone, as core events are. */
const WITH_ANY_FINALIZER = new Set([
  ...['apiextensions.k8s.io', 'apiregistration.k8s.io', 'admissionregistration.k8s.io', 'coordination.k8s.io', 'node.k8s.io', 'policy'],
])

/** The rules for finalizers of built-in kinds, which are stricter: Kubernetes' own names, or names with a domain. */
export function builtinFinalizers(definition: ResourceDefinition, draft: KubeObject): FieldError[] {
  const { customDefinition, group, names } = definition
  if (customDefinition !== undefined || WITH_ANY_FINALIZER.has(group) || (group === '' && names.kind === 'Event')) return []
  return (draft.metadata.finalizers ?? []).flatMap((name, i) =>
    name.includes('/') || STANDARD_FINALIZERS.has(name)
      ? []
      : [invalid(index('metadata.finalizers', i), name, 'name is neither a standard finalizer name nor is it fully qualified')],
  )
}
