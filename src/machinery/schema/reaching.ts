import type { Schema } from './schema.ts'

/** Whether a value of a type may hold a value of a type that is `wanted`; known for each type after it was asked once. */
export function reaching(wanted: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>()
  return (schema) => {
    let found = known.get(schema)
    if (found === undefined) {
      found = finds(schema, wanted)
      known.set(schema, found)
    }
    return found
  }
}

function finds(root: Schema, wanted: (schema: Schema) => boolean): boolean {
  const seen = new Set<Schema>()
  const open = [root]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (seen.has(schema)) continue
    seen.add(schema)
    if (wanted(schema)) return true
    open.push(...membersOf(schema))
  }
  return false
}

function membersOf(schema: Schema): readonly Schema[] {
  switch (schema.type) {
    case 'struct':
      return [...schema.fields.values()].map((field) => field.schema)
    case 'list':
      return [schema.items]
    case 'map':
      return [schema.values]
    case 'any':
      return schema.alternative === undefined ? [] : [schema.alternative.schema]
    case 'scalar':
      return []
  }
}
