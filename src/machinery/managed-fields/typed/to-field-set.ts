import { isObject, type Json, type JsonObject } from '../../object.ts'
import { emptySet, type FieldSet } from '../field-set/field-set.ts'
import { listElements } from './list-element.ts'
import { concrete, deduced, type TypedNode } from './typed-node.ts'

const member: FieldSet = Object.freeze({})

/** Every field that a value sets: the fields that its applier owns. */
export function toFieldSet(node: TypedNode, value: Json): FieldSet {
  return nodeOf(node, value) ?? emptySet
}

/** The node of a value: the empty node is the value itself; undefined if it has no members. */
function nodeOf(type: TypedNode, value: Json): FieldSet | undefined {
  const node = concrete(type, value)
  if (node.atomic) return member
  if (value === null) return undefined
  if (node.kind === 'list') return Array.isArray(value) ? itemsOf(node, value) : undefined
  return isObject(value) ? membersOf(node, value) : undefined
}

function membersOf(node: TypedNode, value: JsonObject): FieldSet | undefined {
  const result: { [element: string]: FieldSet } = {}
  let any = false
  for (const name of Object.keys(value)) {
    const item = value[name]
    if (item === undefined) continue
    const below = nodeOf(node.child(name) ?? deduced, item)
    // Nulls and empty maps have no members that could represent them; a key of a map represents itself.
    const self = item === null || (isObject(item) && Object.keys(item).length === 0) || !node.named(name)
    if (below === undefined && !self) continue
    any = true
    result[`f:${name}`] = withSelf(below, self)
  }
  return any ? result : undefined
}

function itemsOf(node: TypedNode, items: readonly Json[]): FieldSet | undefined {
  const result: { [element: string]: FieldSet } = {}
  let any = false
  for (const [i, element] of listElements(node, items).entries()) {
    if (element === undefined) continue
    any = true
    // Of a duplicate item only the position is owned.
    const below = result[element] === undefined && node.items !== undefined ? nodeOf(node.items, items[i] ?? null) : undefined
    result[element] = withSelf(below, true)
  }
  return any ? result : undefined
}

function withSelf(below: FieldSet | undefined, self: boolean): FieldSet {
  if (below === undefined || below === member) return member
  return self ? { '.': member, ...below } : below
}
