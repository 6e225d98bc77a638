import { type FieldSet, isEmptySet } from './field-set/field-set.ts'
import type { TypedNode } from './typed/typed-node.ts'

/**
 * Brings a set up to a type of which lists or maps have become atomic since: who owned a part of one owns the whole.
 * Gives the same set when there is nothing to do.
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

/** Sets that were found to fit a type already. */
const fitting = new WeakMap<FieldSet, TypedNode>()

/** The same, remembered: a stored set is looked at once for each type. */
export function reconciled(node: TypedNode, set: FieldSet): FieldSet {
  if (fitting.get(set) === node) return set
  const result = reconcileWithType(node, set)
  fitting.set(result, node)
  return result
}
