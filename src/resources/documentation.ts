import { factsIdOfPackage, readGenerated } from './generated-files.ts'

/** By struct: `''` for the type itself, then field by field. */
type Documentation = Readonly<Record<string, Readonly<Record<string, string>>>>

const byId = new Map<string, Documentation>()

/**
 * The documentation of a type and its fields, by its OpenAPI name; `''` is the type itself. Empty if the package that it is derived from
 * has none. Read from disk per group version, at first use.
 */
export function documentation(openapiName: string): Readonly<Record<string, string>> {
  const at = openapiName.lastIndexOf('.')
  const id = factsIdOfPackage(openapiName.slice(0, at))
  if (id === undefined) return {}
  let docs = byId.get(id)
  if (docs === undefined) {
    docs = (readGenerated(`${id}.docs.json`) as Documentation | undefined) ?? {}
    byId.set(id, docs)
  }
  const name = openapiName.slice(at + 1)
  return Object.hasOwn(docs, name) ? (docs[name] ?? {}) : {}
}

/**
 * The documentation of a field, without the list of values that OpenAPI appends: as in columns and messages that quote Go's documentation.
 */
export function fieldNotes(openapiName: string, field: string): string {
  const text = documentation(openapiName)[field] ?? ''
  const values = text.indexOf('\n\nPossible enum values:')
  return values < 0 ? text : text.slice(0, values)
}
