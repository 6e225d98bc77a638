import { NIL_LIST } from '../../../machinery/cel/admission/configuration.ts'
import { mergeTyped } from '../../../machinery/managed-fields/typed/merge-typed.ts'
import { concrete, type TypedNode, typedNode } from '../../../machinery/managed-fields/typed/typed-node.ts'
import { faultsText, validateTyped } from '../../../machinery/managed-fields/typed/validate-typed.ts'
import { asJson, type Json, type JsonObject, type KubeObject, setOwn } from '../../../machinery/object.ts'
import { GoValue } from '../../../machinery/schema/go-value.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import { MutationError } from './mutate-policy.ts'

/**
 * Merges a configuration into an object, as server-side apply does, but without field managers. Atomic lists and maps cannot be configured,
 * because elements that the configuration omits would be lost. Throws `MutationError`.
 */
export function applyConfiguration(schema: Schema, object: KubeObject, configuration: Json): Json {
  const node = typedNode(schema)
  const faults = validateTyped(node, configuration)
  if (faults.length > 0)
    throw new MutationError(`error applying patch: failed to convert patch object to typed object: ${faultsText(faults)}`)
  const atomic = atomics(node, configuration, '')
  if (atomic.length > 0)
    throw new MutationError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    )
  return mergeTyped(node, asJson(object), withoutNilLists(node, configuration))
}

/** A list without elements is left out where the schema has a list, as if it were stored and read; elsewhere it becomes null. */
function withoutNilLists(type: TypedNode, value: Json): Json {
  if (typeof value !== 'object' || value === null || value instanceof GoValue) return value
  const node = concrete(type, value)
  if (Array.isArray(value)) return node.items === undefined ? value : value.map((item) => withoutNilLists(node.items ?? node, item))
  const out: JsonObject = {}
  for (const [name, item] of Object.entries(value)) {
    const child = node.child(name)
    if (item === NIL_LIST) {
      if (child?.kind !== 'list') setOwn(out, name, null)
    } else setOwn(out, name, child === undefined ? item : withoutNilLists(child, item ?? null))
  }
  return out
}

/** The paths of all atomic lists and maps in a value; not of those in maps, whose members have no names of their own. */
function atomics(type: TypedNode, value: Json | undefined, path: string): string[] {
  if (value === undefined || value === null || typeof value !== 'object') return []
  const node = concrete(type, value)
  const here = node.atomic && path !== '' ? [path] : []
  if (Array.isArray(value)) {
    const { items } = node
    return items === undefined ? here : [...here, ...value.flatMap((item, i) => atomics(items, item, `${path}[${i}]`))]
  }
  const below = Object.entries(value).flatMap(([name, item]) => {
    const child = node.named(name) ? node.child(name) : undefined
    return child === undefined ? [] : atomics(child, item, `${path}.${name}`)
  })
  return [...here, ...below]
}
