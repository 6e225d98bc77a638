import { isObject, type Json, type JsonObject, setOwn } from '../../object.ts'
import { type FieldSet, isEmptySet, isMember } from '../field-set/field-set.ts'
import { listElements } from './list-element.ts'
import { concrete, deduced, type TypedNode } from './typed-node.ts'

/** Removes the members of a set from a value. A list or map that loses all members becomes null. */
export function removeItems(type: TypedNode, value: Json, set: FieldSet): Json {
  const node = concrete(type, value)
  if (node.kind === 'scalar' || value === null || isEmptySet(set)) return value
  // The set is older than the atomic type: an owned part removes the whole.
  if (node.atomic) return null
  if (node.kind === 'list') return Array.isArray(value) ? fromList(node, value, set) : value
  return isObject(value) ? fromMap(node, value, set) : value
}

function fromMap(node: TypedNode, value: JsonObject, set: FieldSet): Json {
  const result: JsonObject = {}
  let any = false
  for (const name of Object.keys(value)) {
    const item = value[name]
    const found = set[`f:${name}`]
    if (item === undefined || (found !== undefined && isMember(found))) continue
    any = true
    setOwn(result, name, found === undefined ? item : removeItems(node.child(name) ?? deduced, item, found))
  }
  return any ? result : null
}

function fromList(node: TypedNode, items: readonly Json[], set: FieldSet): Json {
  const result: Json[] = []
  for (const [i, element] of listElements(node, items).entries()) {
    const found = element === undefined ? undefined : set[element]
    if (found !== undefined && isMember(found)) continue
    const item = items[i] ?? null
    result.push(found === undefined ? item : removeItems(node.items ?? deduced, item, found))
  }
  return result.length > 0 ? result : null
}

/** The set, with all struct fields on the way to its members added as members. */
export function withNamedFields(type: TypedNode, set: FieldSet): FieldSet {
  const result: { [element: string]: FieldSet } = {}
  for (const element in set) {
    const below = set[element]
    if (below === undefined) continue
    if (element === '.' || isEmptySet(below)) {
      result[element] = below
      continue
    }
    const isField = element.startsWith('f:')
    const name = element.slice(2)
    const child = (isField ? type.child(name) : type.items) ?? deduced
    const inner = withNamedFields(child.kind === 'any' ? concrete(child, {}) : child, below)
    result[element] = isField && type.named(name) && inner['.'] === undefined ? { '.': Object.freeze({}), ...inner } : inner
  }
  return result
}
