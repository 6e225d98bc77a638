import { goQuote } from '../../../machinery/field-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { type FieldSelector, parseFieldSelector } from '../../../machinery/selectors/field-selector.ts'
import { type CompiledLabelSelector, parseLabelSelector, SelectorError } from '../../../machinery/selectors/label-selector.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import type { ServedResource } from '../../cache/resource-registry.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import type { Filter } from '../../cache/view.ts'
import type { Prefix } from '../../request/request-info.ts'
import { asRequested } from './as-requested.ts'

export interface Selection {
  readonly filter: Filter
  /** True if label or field selectors narrow the path's selection. */
  readonly selective: boolean
}

/** The objects that a list, watch or collection delete selects. `name`: the path names one object. */
export function selection(
  served: ServedResource,
  place: { readonly namespace: string; readonly name: string; readonly prefix?: Prefix },
  selectors: { readonly labelSelector: string; readonly fieldSelector: string },
): Selection {
  const { labels, fields } = readSelectors(selectors)
  const { definition } = served
  const seen = fields !== undefined && mayDiffer(served, fields) ? asRequested(served) : undefined
  const objectOf = seen?.of ?? ((item: StoredObject) => item.object)
  const read = fields === undefined ? undefined : fieldReader(served, fields, objectOf)
  const namespaced = definition.scope === 'Namespaced'
  const prefix = namespaced && place.namespace !== '' ? `${place.namespace}/` : ''
  const pinned = fields?.exactValue('metadata.name')
  if (place.prefix === 'watch' && place.name !== '' && fields?.isEmpty() === false && pinned !== place.name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name")
  const name = place.name !== '' ? place.name : pinned
  const key = `${prefix}|${place.name}|${served.version.version}|${labels ?? ''}|${fields ?? ''}`
  const matches = matcher(labels, fields, read, objectOf)
  const exact = name !== undefined && (!namespaced || prefix !== '') ? `${prefix}${name}` : undefined
  return {
    filter: {
      key,
      prefix,
      ...(exact !== undefined && { exact }),
      ...(matches && { matches }),
      ...(seen && { prepare: seen.prepare }),
      ...indexOf(name, fields),
    },
    selective: matches !== undefined,
  }
}

/** Parses the selectors; throws Kubernetes' 400 for one that cannot be read. */
export function readSelectors({ labelSelector, fieldSelector }: { readonly labelSelector: string; readonly fieldSelector: string }) {
  return {
    labels: labelSelector === '' ? undefined : readSelector(() => parseLabelSelector(labelSelector)),
    fields: fieldSelector === '' ? undefined : readSelector(() => parseFieldSelector(fieldSelector)),
  }
}

/** Turns a selector error into Kubernetes' 400. */
function readSelector<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message)
    throw error
  }
}

function indexOf(name: string | undefined, fields: FieldSelector | undefined): Pick<Filter, 'index'> {
  if (name !== undefined) return { index: { field: 'metadata.name', value: name } }
  const node = fields?.exactValue('spec.nodeName')
  return node === undefined ? {} : { index: { field: 'spec.nodeName', value: node } }
}

/** True if selected fields may differ between the version of the request and the stored version. */
function mayDiffer({ definition, version }: ServedResource, fields: FieldSelector): boolean {
  if (definition.customDefinition === undefined || definition.versions.length < 2) return false
  return fields.requirements.some(({ field }) => Object.hasOwn(version.selectableFields ?? {}, field))
}

type FieldReader = (item: StoredObject) => (field: string) => string

type ObjectOf = (item: StoredObject) => KubeObject

function fieldReader(served: ServedResource, fields: FieldSelector, objectOf: ObjectOf): FieldReader {
  const { definition, version } = served
  const own = version.selectableFields ?? {}
  const namespaced = definition.scope === 'Namespaced'
  // Kinds without selectable fields of their own have both in common; other kinds list their fields, besides name and namespace.
  const plain = Object.keys(own).length === 0 && definition.customDefinition === undefined
  for (const { field } of fields.requirements) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && (plain || namespaced)) || Object.hasOwn(own, field)) continue
    if (!plain) throw badRequest(unsupported(served, field))
    throw badRequest(`${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`)
  }
  return (item) => (field) => {
    if (field === 'metadata.name') return item.name
    if (field === 'metadata.namespace') return item.namespace
    return own[field]?.(objectOf(item)) ?? ''
  }
}

/** The message for an unsupported field; Kubernetes' kinds differ in it. */
function unsupported({ definition: { group, names }, version }: ServedResource, field: string): string {
  if (group === 'batch') return `field label ${goQuote(field)} not supported for ${names.kind}`
  if (group === 'resource.k8s.io') return `field label not supported for ${group}/${version.version}, Kind=${names.kind}: ${field}`
  return `field label not supported: ${field}`
}

function matcher(
  labels: CompiledLabelSelector | undefined,
  fields: FieldSelector | undefined,
  read: FieldReader | undefined,
  objectOf: ObjectOf,
): Filter['matches'] {
  const byLabels =
    labels === undefined || labels.isEmpty() ? undefined : (item: StoredObject) => labels.matches(objectOf(item).metadata.labels ?? {})
  const byFields =
    fields === undefined || fields.isEmpty() || read === undefined ? undefined : (item: StoredObject) => fields.matches(read(item))
  if (byLabels === undefined) return byFields
  if (byFields === undefined) return byLabels
  return (item) => byLabels(item) && byFields(item)
}
