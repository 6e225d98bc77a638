import { child, type FieldError, forbidden } from '../machinery/field-error.ts'
import { givenEmpty } from '../machinery/schema/given-empty.ts'
import { validateAnnotations, validateLabels } from '../machinery/validation/object-meta.ts'
import type * as meta from './types/meta.ts'
import type { Unchecked } from './unchecked.ts'

/** The other fields of metadata, in the order of Go's struct. */
const OTHERS = [
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp'],
  ...['deletionGracePeriodSeconds', 'ownerReferences', 'finalizers', 'managedFields'],
] as const

/** Validates the metadata of a claim's template: labels and annotations only. */
export function validateTemplateMetadata(meta: Unchecked<meta.ObjectMeta> | undefined, path: string): FieldError[] {
  const given = OTHERS.filter((name) => (meta?.[name] ?? givenEmpty(meta, name) ?? null) !== null)
  return [
    ...validateAnnotations(meta?.annotations, child(path, 'annotations')),
    ...validateLabels(meta?.labels, child(path, 'labels')),
    // Kubernetes derives the name from Go's, UID, by its first letter.
    ...given.map((name) => forbidden(child(path, name === 'uid' ? 'uID' : name), 'cannot be set')),
  ]
}
