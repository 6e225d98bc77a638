import { itemsOf, type SchemaProps, valuesOf } from './schema-props.ts'

/**
 * Makes a function that returns whether a schema, or any schema of the values inside its values, satisfies the condition. Results are kept
 * for schemas that have others inside: a definition may have a hundred thousand that have none.
 */
export function anyInside(condition: (schema: SchemaProps) => boolean): (schema: SchemaProps) => boolean {
  const known = new WeakMap<SchemaProps, boolean>()
  const satisfies = (schema: SchemaProps): boolean => {
    if (condition(schema)) return true
    const { properties } = schema
    const elements = [itemsOf(schema), valuesOf(schema)].filter((element) => element !== undefined)
    if (!properties && elements.length === 0) return false
    let found = known.get(schema)
    if (found === undefined) {
      found = elements.some(satisfies) || Object.values(properties ?? {}).some(satisfies)
      known.set(schema, found)
    }
    return found
  }
  return satisfies
}
