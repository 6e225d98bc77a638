import { itemsOf, type SchemaProps, valuesOf } from './schema-props.ts'

/**
 * Makes a function that returns whether a schema, or any schema of the values inside its values, satisfies the condition. Results are kept
 * for schemas that have others inside: a definition may have a hundred thousand that have none.
 */
export function anyInside(condition: (schema: SchemaProps) => boolean): (schema: SchemaProps) => boolean {
  const known = new WeakMap<SchemaProps, boolean>()
  const satisfies = (schema: SchemaProps): boolean => {
    if (condition(schema)) return true
    const items = itemsOf(schema)
    const values = valuesOf(schema)
    if (!schema.properties && items === undefined && values === undefined) return false
    let found = known.get(schema)
    if (found === undefined) {
      found = (items !== undefined && satisfies(items)) || (values !== undefined && satisfies(values)) || anyProperty(schema.properties)
      known.set(schema, found)
    }
    return found
  }
  const anyProperty = (properties: SchemaProps['properties']): boolean => {
    for (const name in properties) {
      const property = properties[name]
      if (property !== undefined && satisfies(property)) return true
    }
    return false
  }
  return satisfies
}
