import { type FieldSet, isEmptySet } from './field-set/field-set.ts'
import type { TypedNode } from './typed/typed-node.ts'

/**
 * Adapts a set to a type in which lists or maps have become atomic since: the owner of a part becomes owner of the whole. Returns the same
 * set if nothing changes.
 */
export function reconcileWithType(node: TypedNode, set: FieldSet): FieldSet {
  let result: { [element: string]: FieldSet } | undefined
  for (const element in set) {
    const below = set[element]
    if (below === undefined || element === '.' || isEmptySet(below)) continue
    const child = element.startsWith('f:') ? node.child(element.slice(2)) : node.items
    if (child === undefined || child.kind === 'any') continue
    const fresh = child.atomic ? {} : reconcileWithType(child, below)
    if (fresh === below) continue
    result ??= { ...set }
    result[element] = fresh
  }
  return result ?? set
}

/** Sets that are known to fit a type. */
const fitting = new WeakMap<FieldSet, TypedNode>()

/** Like `reconcileWithType`, but a stored set is examined once for each type. */
export function reconciled(node: TypedNode, set: FieldSet): FieldSet {
  if (fitting.get(set) === node) return set
  const result = reconcileWithType(node, set)
  fitting.set(result, node)
  return result
}
