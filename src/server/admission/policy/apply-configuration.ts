import { NIL_LIST } from '../../../machinery/cel/admission/configuration.ts'
import { mergeTyped } from '../../../machinery/managed-fields/typed/merge-typed.ts'
import { concrete, type TypedNode, typedNode } from '../../../machinery/managed-fields/typed/typed-node.ts'
import { faultsText, validateTyped } from '../../../machinery/managed-fields/typed/validate-typed.ts'
import { asJson, isObject, type Json, type JsonObject, type KubeObject, setOwn } from '../../../machinery/object.ts'
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
  return withoutNilLists(node, mergeTyped(node, asJson(object), configuration), configuration)
}

/**
 * A list that the configuration left without elements is absent where the schema has a list, as if it were stored and read; elsewhere it
 * becomes null. `configuration`: what was merged into the value; undefined: anything.
 */
function withoutNilLists(type: TypedNode, value: Json, configuration: Json | undefined): Json {
  if (typeof value !== 'object' || value === null || value instanceof GoValue || !holdsNilList(configuration)) return value
  const node = concrete(type, value)
  const { items } = node
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withoutNilLists(items, item, undefined))
  const out: JsonObject = {}
  for (const [name, item = null] of Object.entries(value)) {
    const below = node.child(name)
    if (item !== NIL_LIST) setOwn(out, name, below === undefined ? item : withoutNilLists(below, item, memberOf(configuration, name)))
    else if (below?.kind !== 'list') setOwn(out, name, null)
  }
  return out
}

const holdsNilList = (configuration: Json | undefined): boolean =>
  configuration === undefined ||
  configuration === NIL_LIST ||
  (typeof configuration === 'object' && configuration !== null && Object.values(configuration).some((value) => holdsNilList(value ?? null)))

/** Members that the configuration lacks hold nothing of it. */
const memberOf = (configuration: Json | undefined, name: string): Json | undefined =>
  configuration === undefined ? undefined : isObject(configuration) && Object.hasOwn(configuration, name) ? configuration[name] : null

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
