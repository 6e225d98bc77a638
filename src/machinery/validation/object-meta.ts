import { equalJson, semanticEqual } from '../equal.ts'
import { child, type FieldError, forbidden, goQuote, index, invalid, invalidNamed, MAX_FAULTS, required, tooLong } from '../field-error.ts'
import { isLabelValue, isQualifiedName, labelValue, qualifiedName } from '../names.ts'
import { type ManagedFieldsEntry, type ObjectMeta, type OwnerReference, parseApiVersion } from '../object.ts'
import { faultsOfEach } from './faults-of-each.ts'
import { labelName, type NameRule, segmentName, subdomainName } from './object-name.ts'

const maxAnnotationsBytes = 256 * 1024
const immutableText = 'field is immutable'

/** Validates the metadata of a new object, whose name was generated already. `name` is a DNS subdomain unless another rule is given. */
export function validateObjectMeta(
  meta: ObjectMeta,
  options: { readonly namespaced: boolean; readonly validateName?: NameRule | undefined },
  path = 'metadata',
): FieldError[] {
  return [
    ...validateNames(meta, options.validateName ?? subdomainName, path),
    ...validatePlace(meta, options.namespaced, path),
    ...validateParts(meta, path),
    ...validateFinalizers(meta.finalizers, child(path, 'finalizers')),
    ...managed(meta, path),
  ]
}

/** What the generic server checks of the names of every object: it has the loosest rule. */
export const validateSegments = (meta: ObjectMeta): FieldError[] => validateNames(meta, segmentName, 'metadata')

function validateNames(meta: ObjectMeta, rule: NameRule, path: string): FieldError[] {
  const faults: FieldError[] = []
  const generateName = meta.generateName ?? ''
  if (generateName !== '')
    for (const text of rule(generateName, true)) faults.push(invalid(child(path, 'generateName'), generateName, text))
  const name = meta.name ?? ''
  if (name === '') faults.push(required(child(path, 'name'), 'name or generateName is required'))
  else for (const text of rule(name, false)) faults.push(invalid(child(path, 'name'), name, text))
  return faults
}

function validatePlace(meta: ObjectMeta, namespaced: boolean, path: string): FieldError[] {
  const faults: FieldError[] = []
  const namespace = meta.namespace ?? ''
  if (!namespaced) {
    if (namespace !== '') faults.push(forbidden(child(path, 'namespace'), 'not allowed on this type'))
  } else if (namespace === '') faults.push(required(child(path, 'namespace')))
  else for (const text of labelName(namespace, false)) faults.push(invalid(child(path, 'namespace'), namespace, text))
  if ((meta.generation ?? 0) < 0) faults.push(invalid(child(path, 'generation'), meta.generation, 'must be greater than or equal to 0'))
  return faults
}

/** Validates a change of metadata. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path = 'metadata'): FieldError[] {
  return [...validateLasting(meta, old, path), ...validateParts(meta, path), ...managed(meta, path)]
}

/**
 * Some kinds validate the metadata of an update again, besides the generic server, and Kubernetes then reports each fault once more: for
 * the update, for the object as a whole (some twice), or both.
 */
export type MetadataChecks = 'not' | 'as-update' | 'whole' | 'twice-whole' | 'also-whole'

/** Options for the metadata of an update. */
export interface MetaUpdate {
  readonly namespaced: boolean
  /** Names were validated at creation; Kubernetes may validate them again. */
  readonly validateName?: NameRule | undefined
  /** How the kind validates it again. */
  readonly again: MetadataChecks
  /** The faults of finalizers that only the kind's own validation finds. */
  finalizers(): FieldError[]
}

/**
 * The faults of an update's metadata, in Kubernetes' order and as often as Kubernetes reports them; each check runs once. A part that is
 * identical to the stored object's (the same reference) was checked when that was written.
 */
export function validateUpdatedMeta(meta: ObjectMeta, old: ObjectMeta, how: MetaUpdate): FieldError[] {
  const path = 'metadata'
  const place = validatePlace(meta, how.namespaced, path)
  const parts = validateParts(meta, path, old)
  const finalizers = meta.finalizers === old.finalizers ? [] : validateFinalizers(meta.finalizers, child(path, 'finalizers'))
  const owners = meta.managedFields === old.managedFields ? [] : managed(meta, path)
  const more = how.again === 'not' || meta.finalizers === old.finalizers ? [] : how.finalizers()
  const lasting = validateLasting(meta, old, path)
  const isWhole = how.again === 'whole' || how.again === 'twice-whole' || how.again === 'also-whole'
  const names = isWhole ? validateNames(meta, how.validateName ?? subdomainName, path) : []
  const segments = validateSegments(meta)
  const whole = [...place, ...parts, ...finalizers, ...owners]
  if (whole.length + more.length + lasting.length + names.length + segments.length === 0) return []
  const update = [...lasting, ...parts, ...owners]
  return [
    ...segments,
    ...whole,
    ...update,
    ...(how.again === 'as-update' || how.again === 'also-whole' ? [...update, ...more] : []),
    ...(isWhole ? [...names, ...whole, ...more] : []),
    ...(how.again === 'twice-whole' ? [...names, ...whole, ...more] : []),
  ]
}

function validateLasting(meta: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (old.deletionTimestamp) faults.push(...validateNoNewFinalizers(meta.finalizers, old.finalizers, child(path, 'finalizers')))
  if (!meta.resourceVersion) faults.push(invalid(child(path, 'resourceVersion'), '', 'must be specified for an update'))
  if ((meta.generation ?? 0) < (old.generation ?? 0))
    faults.push(invalid(child(path, 'generation'), meta.generation ?? 0, 'must not be decremented'))
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const fault = field === 'uid' ? invalidNamed : invalid
    if ((meta[field] ?? '') !== (old[field] ?? '')) faults.push(fault(child(path, field), meta[field] ?? '', immutableText))
  }
  for (const field of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    if ((meta[field] ?? null) !== (old[field] ?? null)) faults.push(invalid(child(path, field), meta[field] ?? null, immutableText))
  return faults
}

/** `checked`: parts identical to these are not checked again. */
function validateParts(meta: ObjectMeta, path: string, checked: ObjectMeta = {}): FieldError[] {
  const faults: FieldError[] = []
  if (meta.labels !== checked.labels) faults.push(...validateLabels(meta.labels, child(path, 'labels')))
  if (meta.annotations !== checked.annotations) faults.push(...validateAnnotations(meta.annotations, child(path, 'annotations')))
  if (meta.ownerReferences !== checked.ownerReferences)
    faults.push(...validateOwnerReferences(meta.ownerReferences, child(path, 'ownerReferences')))
  return faults
}

const managed = (meta: ObjectMeta, path: string) => validateManagedFields(meta.managedFields, child(path, 'managedFields'))

/** The key of a label, or of a selector's requirement. */
export function validateLabelName(name: string, path: string): FieldError[] {
  return qualifiedName(name).map((text) => invalid(path, name, text))
}

export function validateLabels(labels: Readonly<Record<string, string>> | undefined | null, path: string): FieldError[] {
  if (!labels) return []
  return faultsOfEach(Object.keys(labels), (name) => {
    const value = labels[name] ?? ''
    if (isQualifiedName(name) && isLabelValue(value)) return NONE
    return [...validateLabelName(name, path), ...labelValue(value).map((text) => invalid(path, value, text))]
  })
}

/** Shared: there may be very many valid labels. */
const NONE: readonly FieldError[] = []

/** Keys in any case, and at most 256 KiB in total. */
export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined | null, path: string): FieldError[] {
  const faults: FieldError[] = []
  let bytes = 0
  for (const name in annotations) {
    const value = annotations[name] ?? ''
    if (faults.length < MAX_FAULTS && !isQualifiedName(name))
      for (const text of qualifiedName(name.toLowerCase())) faults.push(invalid(path, name, text))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  if (bytes > maxAnnotationsBytes) faults.push(tooLong(path, maxAnnotationsBytes))
  return faults
}

export function validateOwnerReferences(owners: readonly OwnerReference[] | undefined | null, path: string): FieldError[] {
  let controller = ''
  return faultsOfEach(owners, (owner) => {
    const found = [...validateOwnerReference(owner, path)]
    if (!owner.controller) return found
    const current = `${owner.kind}/${owner.name}`
    if (controller === '') controller = current
    else {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`
      found.push(invalid(path, (owners ?? []).map(inGoOrder), why))
    }
    return found
  })
}

function validateOwnerReference(owner: OwnerReference, path: string): FieldError[] {
  const faults: FieldError[] = []
  const parsed = parseApiVersion(owner.apiVersion ?? '')
  if (!parsed?.version) faults.push(invalid(child(path, 'apiVersion'), owner.apiVersion ?? '', 'version must not be empty'))
  for (const field of ['kind', 'name', 'uid'] as const) if (!owner[field]) faults.push(invalid(child(path, field), '', 'must not be empty'))
  if (owner.apiVersion === 'v1' && owner.kind === 'Event')
    faults.push(invalid(path, inGoOrder(owner), '/v1, Kind=Event is disallowed from being an owner'))
  return faults
}

const inGoOrder = (o: OwnerReference) => ({
  apiVersion: o.apiVersion,
  kind: o.kind,
  name: o.name,
  uid: o.uid,
  controller: o.controller,
  blockOwnerDeletion: o.blockOwnerDeletion,
})

export function validateFinalizerName(name: string, path: string): FieldError[] {
  return qualifiedName(name).map((text) => invalid(path, name, text))
}

export function validateFinalizers(finalizers: readonly string[] | undefined | null, path: string): FieldError[] {
  const list = finalizers ?? []
  const faults = faultsOfEach(list, (name) => (isQualifiedName(name) ? [] : validateFinalizerName(name, path)))
  if (list.includes('orphan') && list.includes('foregroundDeletion'))
    faults.push(invalid(path, list, 'finalizer orphan and foregroundDeletion cannot be both set'))
  return faults
}

/** An object that is being deleted must not get new finalizers. */
export function validateNoNewFinalizers(
  finalizers: readonly string[] | undefined | null,
  old: readonly string[] | undefined | null,
  path: string,
): FieldError[] {
  const before = new Set(old)
  const added = [...new Set(finalizers)].filter((name) => !before.has(name)).sort()
  if (added.length === 0) return []
  const list = `[]string{${added.map(goQuote).join(', ')}}`
  return [forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`)]
}

export function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined | null, path: string): FieldError[] {
  return faultsOfEach(entries, (entry, i) => {
    const found: FieldError[] = []
    const at = index(path, i)
    if (entry.operation !== 'Apply' && entry.operation !== 'Update')
      found.push(invalidNamed(child(at, 'operation'), entry.operation ?? '', 'must be `Apply` or `Update`'))
    if (entry.fieldsType && entry.fieldsType !== 'FieldsV1')
      found.push(invalid(child(at, 'fieldsType'), entry.fieldsType, 'must be `FieldsV1`'))
    found.push(...validateFieldManager(entry.manager ?? '', child(at, 'manager')))
    if (Buffer.byteLength(entry.subresource ?? '') > 256) found.push(tooLong(child(at, 'subresource'), 256))
    return found
  })
}

const PLAIN = /^[\x20-\x7e]*$/

/** A field manager: at most 128 bytes, all printable. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  if (manager.length <= 128 && PLAIN.test(manager)) return []
  const faults: FieldError[] = []
  if (Buffer.byteLength(manager) > 128) faults.push(tooLong(path, 128))
  let at = 0
  for (const c of manager) {
    if (faults.length >= MAX_FAULTS) break
    if (c !== ' ' && !/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(c)) {
      const code = (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      faults.push(invalid(path, manager, `invalid character U+${code} (at position ${at})`))
    }
    at += Buffer.byteLength(c)
  }
  return faults
}

/** An immutable field. Null, absent and empty are equal. */
export function validateImmutable(value: unknown, old: unknown, path: string): FieldError[] {
  return equalJson(value, old) || semanticEqual(value, old) ? [] : [invalid(path, value, immutableText)]
}

/** The same for a value of one of Kubernetes' own string types, or of a pointer to a string. */
export const validateImmutableNamed = (value: string | null | undefined, old: string | null | undefined, path: string): FieldError[] =>
  value === old ? [] : [invalidNamed(path, value, immutableText)]
