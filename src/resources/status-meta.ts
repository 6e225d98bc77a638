import { cloneJson, type KubeObject } from '../machinery/object.ts'
import type { ResourceRules } from '../machinery/resource/definition.ts'

/** Keeps the metadata, for kinds whose status path does not write it. */
export function keepMetadata(draft: KubeObject, old: KubeObject): void {
  const { metadata } = draft
  for (const field of ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const) {
    const before = old.metadata[field]
    if (before === undefined) delete metadata[field]
    else Object.assign(metadata, { [field]: cloneJson(before) })
  }
}

/** The rules of such a status path: no manager owns metadata through it. */
export const metadataKept = {
  prepareForUpdate: keepMetadata,
  resetFields: { status: [['metadata'], ['spec']] },
} satisfies Partial<ResourceRules>

function keepWholeMetadata(draft: KubeObject, old: KubeObject): void {
  const { managedFields } = draft.metadata
  const { managedFields: _, ...metadata } = old.metadata
  draft.metadata = { ...cloneJson(metadata), ...(managedFields && { managedFields }) }
}

/** The same for kinds that keep all of it but the owners of fields, even `uid`. */
export const wholeMetadataKept = { ...metadataKept, prepareForUpdate: keepWholeMetadata } satisfies Partial<ResourceRules>
