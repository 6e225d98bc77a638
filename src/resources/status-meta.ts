import { cloneJson, type KubeObject } from '../machinery/object.ts'
import type { ResourceRules } from '../machinery/resource/definition.ts'

const WRITTEN = ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const

/** Keeps the metadata, for kinds whose status path does not write it. */
export const keepMetadata = (draft: KubeObject, old: KubeObject): void => keep(draft, old, [...WRITTEN, 'deletionTimestamp'])

/** The same for kinds whose status path finds a time of deletion of a client's own wrong. */
export const keepWrittenMetadata = (draft: KubeObject, old: KubeObject): void => keep(draft, old, WRITTEN)

function keep(draft: KubeObject, old: KubeObject, fields: readonly ((typeof WRITTEN)[number] | 'deletionTimestamp')[]): void {
  const { metadata } = draft
  for (const field of fields) {
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
