import { isObject } from '../../machinery/object.ts'

/** An object, list or table without `managedFields`, as a copy. */
export function withoutManagedFields(value: unknown): unknown {
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = { ...value }
  if (isObject(value.metadata) && value.metadata.managedFields !== undefined) {
    const { managedFields: _, ...metadata } = value.metadata
    copy.metadata = metadata
  }
  if (Array.isArray(value.items)) copy.items = value.items.map(withoutManagedFields)
  if (value.kind === 'Table' && Array.isArray(value.rows))
    copy.rows = value.rows.map((row) => (isObject(row) ? { ...row, object: withoutManagedFields(row.object) } : row))
  return copy
}
