import { equalJson } from '../../equal.ts'
import { isObject, type Json } from '../../object.ts'
import { sameElement } from './list-element.ts'
import { concrete, deduced, type TypedNode } from './typed-node.ts'

/**
 * True if two values set the same fields: the same members of maps, the same items of distinguished lists. Their writers then own equal
 * sets. Allocates nothing; may return false for values of the same shape.
 */
export function sameShape(type: TypedNode, a: Json, b: Json): boolean {
  if (a === b) return true
  const node = concrete(type, a)
  if (concrete(type, b) !== node) return false
  if (node.atomic) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return typeof a !== 'object' && typeof b !== 'object'
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && node.kind === 'list' && sameItems(node, a, b)
  let members = 0
  for (const name in a) {
    const value = a[name]
    if (value === undefined) continue
    const other = Object.hasOwn(b, name) ? b[name] : undefined
    if (other === undefined || !sameShape(node.child(name) ?? deduced, value, other)) return false
    members++
  }
  for (const name in b) if (b[name] !== undefined) members--
  return members === 0
}

function sameItems(node: TypedNode, a: readonly Json[], b: readonly Json[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const [left = null, right = null] = [a[i], b[i]]
    if (!sameElement(node, left, right) || !sameShape(node.items ?? deduced, left, right)) return false
  }
  return true
}

/** For two values of the same shape: true if in every field that `zero` has, both are equal to it, or neither is. */
export function sameBeside(zero: Json, a: Json | undefined, b: Json | undefined): boolean {
  if (isObject(zero) && isObject(a) && isObject(b)) {
    let members = 0
    for (const name in zero) {
      members++
      if (!sameBeside(zero[name] ?? null, a[name], b[name])) return false
    }
    if (members > 0) return true
  }
  if (a === undefined || b === undefined) return a === b
  return equalJson(a, zero) === equalJson(b, zero)
}
