import { arrival } from '../../../base/steps.ts'
import { applyJsonPatchInTurns, decodeJsonPatch, PatchError } from '../../../machinery/json/json-patch.ts'
import { markNumbers } from '../../../machinery/json/number-marks.ts'
import type { JsonSyntaxError } from '../../../machinery/json/strict-json.ts'
import type { Json } from '../../../machinery/object.ts'
import { badRequest, StatusError, tooLarge } from '../../../machinery/status-error.ts'
import { decodePatched } from './decode-patched.ts'
import { openedOrder } from './go-order.ts'
import { type Patcher, readPatch } from './patch-source.ts'

const MOST_OPERATIONS = 10_000
const FIELDS = new Set(['op', 'path', 'from', 'value'])

/** RFC 6902. */
export const jsonPatch: Patcher = function* (target, before, source) {
  const { json: read, numbers, strict } = readPatch(source, 'error decoding patch: ', messageInOperation)
  const json = markNumbers(read, numbers)
  try {
    const operations = decodeJsonPatch(json)
    if (operations.length > MOST_OPERATIONS)
      throw tooLarge(`The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${operations.length}`)
    const opened = new WeakSet<object>()
    const after = yield* arrival(applyJsonPatchInTurns(before, operations, opened))
    const objections = [...strict, ...unknownFields(json)].map((text) => `json patch ${text}`)
    return yield* decodePatched(target, { before, after, inOrder: () => openedOrder(after, opened), objections, marked: numbers.size > 0 })
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    if (error.code === 'decode') throw badRequest(`error decoding patch: ${error.message}`)
    throw new StatusError({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    })
  }
}

/** Numbers are read in the values of operations alone. */
const messageInOperation = ({ code, message }: JsonSyntaxError): string =>
  code === 'float-range' ? message.replace('Go value', 'Go struct field jsonPatchOp.value') : message

function unknownFields(json: Json): string[] {
  if (!Array.isArray(json)) return []
  return json.flatMap((step, i) =>
    step !== null && typeof step === 'object' && !Array.isArray(step)
      ? Object.keys(step).flatMap((key) => (FIELDS.has(key) ? [] : [`unknown field "[${i}].${key}"`]))
      : [],
  )
}
