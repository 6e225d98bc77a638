import type { KubeObject } from '../../../machinery/object.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import type { Call } from '../call.ts'

/** A patch may not turn an object into another one. */
export function checkPatchedName(call: Call, object: KubeObject): void {
  const { name } = call.target
  const own = object.metadata.name ?? ''
  if (own === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`)
}
