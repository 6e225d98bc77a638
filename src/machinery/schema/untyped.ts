import type { Schema } from './schema.ts'

const known = new WeakMap<Schema, boolean>()

/** Whether an object of this type may hold values without a type, which keep the order of their members; managed fields do not count. */
export function hasUntypedValues(schema: Schema): boolean {
  let found = known.get(schema)
  if (found === undefined) {
    found = findsUntyped(schema)
    known.set(schema, found)
  }
  return found
}

function findsUntyped(root: Schema): boolean {
  const seen = new Set<Schema>()
  const open = [root]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (seen.has(schema)) continue
    seen.add(schema)
    if (schema.type === 'any' && schema.alternative === undefined && schema.go !== 'v1.FieldsV1') return true
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
