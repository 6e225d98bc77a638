import { asJson, cloneJson, deepFreeze, type Json, type JsonObject, type KubeObject } from '../object.ts'
import type { Schema } from '../schema/schema.ts'
import { nodeOf, type WriteContext } from './context.ts'
import { sameBeside, sameShape } from './typed/same-shape.ts'

/** The field set of a recent creation. */
interface Known {
  readonly sample: Json
  readonly resetFields: WriteContext['resetFields']
  readonly fields: JsonObject
}

/** The fields of recently created objects, by schema. Programs mostly create similar objects: these share one set. */
const lately = new WeakMap<Schema, Known[]>()
const MOST = 8

/** The field set of a new object, if one of the same shape was created recently. `zero`: the empty object of the type. */
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

/** Remembers the field set of a creation. */
export function remember(context: WriteContext, created: KubeObject, fields: JsonObject): void {
  let known = lately.get(context.schema)
  if (known === undefined) {
    known = []
    lately.set(context.schema, known)
  }
  known.unshift({ sample: asJson(cloneJson(created)), resetFields: context.resetFields, fields: deepFreeze(fields) })
  if (known.length > MOST) known.pop()
}
