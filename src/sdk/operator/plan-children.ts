import { equalJson } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { appliedFields, isSettled } from '../kinds/applied-fields.ts'
import type { Kind } from '../kinds/kind.ts'
import { TerminalError } from './controller.ts'

/** A child as it is to be sent. */
export interface WantedChild {
  readonly kind: Kind
  readonly object: KubeObject
}

/** What was sent last for a child, and what came back. */
export interface AppliedChild {
  readonly sent: KubeObject
  readonly answer: Readonly<KubeObject>
}

/** The owner of the children, and the field manager. */
export interface Ownership {
  readonly owner: Readonly<KubeObject>
  readonly ownerKind: Kind
  readonly fieldManager: string
  readonly adopt: boolean
}

/** What to do with a child: `apply` it, nothing (`keep`), or wait: it is `leaving`, or it has another owner (`foreign`: why). */
export type ChildStep = { readonly step: 'apply' | 'keep' | 'leaving' } | { readonly step: 'foreign'; readonly why: string }

/** The name of a child among all children of an owner. */
export const childKey = ({ kind, object }: { readonly kind: Kind; readonly object: Readonly<KubeObject> }): string =>
  `${kind.apiVersion}/${kind.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`

/**
 * The children as they are sent: in the owner's namespace, with its reference, each once.
 * @throws {TerminalError} when a child cannot be one
 */
export function wantedChildren(children: readonly KubeObject[], kinds: readonly Kind[], ownership: Ownership): WantedChild[] {
  const wanted = children.map((child) => wantedChild(child, kinds, ownership))
  const keys = new Set<string>()
  for (const one of wanted) {
    const key = childKey(one)
    if (keys.has(key)) throw new TerminalError(`child ${key} is wanted twice`)
    keys.add(key)
  }
  return wanted
}

function wantedChild(child: KubeObject, kinds: readonly Kind[], { owner, ownerKind }: Ownership): WantedChild {
  const { name = '', namespace } = child.metadata
  const what = `${child.kind} ${name || '(without a name)'}`
  const kind = kinds.find((k) => k.kind === child.kind && k.apiVersion === child.apiVersion)
  if (kind === undefined)
    throw new TerminalError(`child ${what} of ${child.apiVersion} is of a kind that the controller does not own: add it to \`owns\``)
  if (name === '') throw new TerminalError(`a child ${child.kind} has no metadata.name: a generated one would be new each time`)
  const home = owner.metadata.namespace
  if (kind.namespaced && (namespace ?? home ?? '') === '') throw new TerminalError(`child ${what} has no namespace`)
  if (home !== undefined && namespace !== undefined && namespace !== home)
    throw new TerminalError(`child ${what} is to live in ${namespace}, but owners reach no further than their own namespace, ${home}`)
  const reference = {
    apiVersion: ownerKind.apiVersion,
    kind: ownerKind.kind,
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
  const others = (child.metadata.ownerReferences ?? []).filter((r) => r.uid !== reference.uid)
  const { status: _status, ...rest } = child
  // The API server keeps no empty maps: sent, they would never be found there.
  const metadata = { ...child.metadata }
  for (const map of ['labels', 'annotations'] as const) if (Object.keys(metadata[map] ?? {}).length === 0) delete metadata[map]
  const place = kind.namespaced ? { namespace: namespace ?? home ?? '' } : {}
  return { kind, object: { ...rest, metadata: { ...metadata, ...place, ownerReferences: [...others, reference] } } }
}

/** What one child needs. `live`: as the cache knows it; `last`: what this process did to it before. */
export function stepOf(
  { object }: WantedChild,
  live: Readonly<KubeObject> | undefined,
  last: AppliedChild | undefined,
  { owner, fieldManager, adopt }: Ownership,
): ChildStep {
  if (live === undefined) return { step: 'apply' }
  const master = (live.metadata.ownerReferences ?? []).find((r) => r.controller === true)
  if (live.metadata.deletionTimestamp !== undefined) return { step: 'leaving' }
  const what = `${live.kind} ${live.metadata.namespace ?? ''}/${live.metadata.name ?? ''}`
  if (master !== undefined && master.uid !== owner.metadata.uid)
    return { step: 'foreign', why: `${what} is controlled by ${master.kind} ${master.name} (${master.uid})` }
  const fields = appliedFields(live, fieldManager)
  if (master === undefined && fields === undefined && !adopt)
    return { step: 'foreign', why: `${what} exists already and is nobody's child: delete it, name the child otherwise, or set \`adopt\`` }
  if (last !== undefined && equalJson(last.sent, object) && sameSubstance(last.answer, live)) return { step: 'keep' }
  // No record of it, as after a restart: if it exists, is ours, and has only the desired fields, it need not be sent.
  return { step: isSettled(live, object, fieldManager) ? 'keep' : 'apply' }
}

/** Whether two states of an object are equal in all fields of interest. */
function sameSubstance(a: Readonly<KubeObject>, b: Readonly<KubeObject>): boolean {
  if (a.metadata.uid !== b.metadata.uid) return false
  if (a.metadata.resourceVersion === b.metadata.resourceVersion) return true
  return equalJson(substance(a), substance(b))
}

function substance({ status: _status, metadata, ...rest }: Readonly<KubeObject>): object {
  const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...meta } = metadata
  return { ...rest, metadata: meta }
}
