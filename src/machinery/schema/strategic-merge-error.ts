import type { Json, JsonObject } from '../object.ts'
import { goPrint, goTypeName } from './go-print.ts'

/** A strategic merge patch that cannot be applied; the message is Kubernetes'. */
export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError'
  /** The HTTP error: `bad-request` (400), `unprocessable` (422), or `failed`: Kubernetes returns 500 although the patch is at fault. */
  readonly code: 'bad-request' | 'unprocessable' | 'failed'

  constructor(code: 'bad-request' | 'unprocessable' | 'failed', message: string) {
    super(message)
    this.code = code
  }
}

/** The keys of directives. */
export const DIRECTIVE = '$patch'
export const RETAIN_KEYS = '$retainKeys'
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList'
export const ELEMENT_ORDER = '$setElementOrder'

export const badArgument = (value: Json | undefined, expected = '[]interface {}') =>
  new StrategicMergeError('failed', `expected a ${expected}, but received a ${goTypeName(value)}`)
export const unknownDirective = (map: JsonObject) =>
  new StrategicMergeError('failed', `unknown patch type: ${goPrint(map[DIRECTIVE])} in map: ${goPrint(map)}`)
export const noMergeKey = (map: JsonObject, key: string) =>
  new StrategicMergeError('failed', `map: ${goPrint(map)} does not contain declared merge key: ${key}`)
