import { andThen, type Later } from '../../base/steps.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Call, HandlerResult } from '../handlers/call.ts'
import { JSON_FORMAT } from '../http/response/negotiate.ts'
import { storedBytesServe } from '../http/response/rendering.ts'
import { objectOf } from '../in-process/object-of.ts'

/** True if the stored bytes can be sent unchanged. */
export const storedServes = (call: Call): boolean => storedBytesServe({ call, format: JSON_FORMAT })

/** A response as JSON, in the version of the request. */
export function encodedOf(call: Call, answer: HandlerResult): Later<string | Uint8Array> {
  if (answer.kind === 'item' && storedServes(call)) return answer.item.json()
  return andThen(objectOf(call, answer), encodedObject)
}

export const encodedObject = (object: KubeObject): string => encodeJson(object)
