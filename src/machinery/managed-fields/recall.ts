import { asJson, cloneJson, deepFreeze, type Json, type JsonObject, type KubeObject } from '../object.ts'
import type { Schema } from '../schema/schema.ts'
import { nodeOf, type WriteContext } from './context.ts'
import { sameBeside, sameShape } from './typed/same-shape.ts'

/** What the creation of an object like this one came to. */
interface Known {
  readonly sample: Json
  readonly resetFields: WriteContext['resetFields']
  readonly fields: JsonObject
}

/**
 * The fields of objects that were created lately, by schema. Most objects are created by programs that make one like the other: what the
 * first of them owns, all own, and they share it.
 */
const lately = new WeakMap<Schema, Known[]>()
const MOST = 8

/** The fields that the creator of an object owns, if one of the same shape was created lately. `zero`: the object that stands for none. */
export function recall(context: WriteContext, zero: KubeObject, created: KubeObject): JsonObject | undefined {
  const known = lately.get(context.schema)
  if (known === undefined) return undefined
  const node = nodeOf(context)
  const json = asJson(created)
  for (let i = 0; i < known.length; i++) {
    const one = known[i]
    if (one === undefined || one.resetFields !== context.resetFields) continue
    if (!sameShape(node, json, one.sample) || !sameBeside(asJson(zero), json, one.sample)) continue
    if (i > 0) known.unshift(...known.splice(i, 1))
    return one.fields
  }
  return undefined
}

/** Remembers what a creation came to. */
export function remember(context: WriteContext, created: KubeObject, fields: JsonObject): void {
  let known = lately.get(context.schema)
  if (known === undefined) {
    known = []
    lately.set(context.schema, known)
  }
  known.unshift({ sample: asJson(cloneJson(created)), resetFields: context.resetFields, fields: deepFreeze(fields) })
  if (known.length > MOST) known.pop()
}
