import { goJsonWord } from '../../../machinery/go/go-json-word.ts'
import { PatchError } from '../../../machinery/json/json-patch.ts'
import { mergePatchInSteps } from '../../../machinery/json/merge-patch.ts'
import { markNumbers } from '../../../machinery/json/number-marks.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import { decodePatched } from './decode-patched.ts'
import { mergedOrder } from './go-order.ts'
import { type Patcher, readPatch } from './patch-source.ts'

/** RFC 7386. */
export const mergePatch: Patcher = function* (target, before, source) {
  const { json: read, numbers, strict } = readPatch(source, 'error decoding patch: ')
  const json = markNumbers(read, numbers)
  if (json !== null && (typeof json !== 'object' || Array.isArray(json))) {
    throw badRequest(`error decoding patch: json: cannot unmarshal ${goJsonWord(json)} into Go value of type map[string]interface {}`)
  }
  try {
    const after = yield* mergePatchInSteps(before, json)
    return yield* decodePatched(target, {
      before,
      after,
      inOrder: () => mergedOrder(before, json, after),
      objections: strict,
      marked: numbers.size > 0,
    })
  } catch (error) {
    if (error instanceof PatchError) throw badRequest(error.message)
    throw error
  }
}
