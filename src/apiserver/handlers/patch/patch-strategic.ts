import { goJsonWord } from '../../../machinery/go/go-json-word.ts'
import { apiVersionOf, asKubeObject, type JsonObject } from '../../../machinery/object.ts'
import { DecodeError } from '../../../machinery/schema/decode.ts'
import { fromUnstructuredInSteps } from '../../../machinery/schema/from-unstructured.ts'
import { alsoEmpty } from '../../../machinery/schema/given-empty.ts'
import { goPrint } from '../../../machinery/schema/go-print.ts'
import { strategicMergeInSteps } from '../../../machinery/schema/strategic-merge.ts'
import { StrategicMergeError } from '../../../machinery/schema/strategic-merge-error.ts'
import { badRequest, StatusError } from '../../../machinery/status-error.ts'
import { badPatch, objectTo, type Patcher, type PatchTarget, readPatch } from './patch-source.ts'

/** Strategic merge patch, which knows the merge keys of lists. */
export const strategicPatch: Patcher = function* (target, before, source) {
  const { gvk, schema } = target
  const { json, strict } = readPatch(source, '')
  const patch = json ?? {}
  if (typeof patch !== 'object' || Array.isArray(patch)) {
    throw badRequest(`json: cannot unmarshal ${goJsonWord(patch)} into Go value of type map[string]interface {}`)
  }
  try {
    const merged = yield* strategicMergeInSteps(schema, before, patch)
    const shown = () => goPrint(merged.patch)
    try {
      const how = target.fieldValidation === 'Ignore' ? 'Ignore' : 'Warn'
      const { object, warnings } = yield* fromUnstructuredInSteps(schema, merged.object, how, unwritten(target, before))
      objectTo(target, [...strict, ...warnings], shown)
      return asKubeObject(alsoEmpty({ ...object, apiVersion: apiVersionOf(gvk), kind: gvk.kind }, object))
    } catch (error) {
      if (error instanceof DecodeError) throw badPatch(shown(), error.message)
      throw error
    }
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error
    if (error.code === 'bad-request') throw badRequest(error.message)
    if (error.code === 'failed') throw new StatusError({ code: 500, message: error.message })
    throw new StatusError({ code: 422, reason: 'Invalid', message: error.message, details: {} })
  }
}

/** The stored fields that this path does not write: they need not be decoded again, and are not changed. */
function unwritten({ writes }: PatchTarget, before: JsonObject): ReadonlySet<unknown> | undefined {
  if (writes === undefined) return undefined
  const parts = new Set<unknown>()
  for (const field in before) {
    const value = before[field]
    if (value !== null && typeof value === 'object' && field !== 'metadata' && !writes.includes(field)) parts.add(value)
  }
  return parts
}
