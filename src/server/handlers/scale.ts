import type { Subresource } from '../../machinery/resource/definition.ts'
import { notImplemented } from '../../machinery/status-error.ts'
import type { Answer, Call } from './call.ts'

/** GET, PUT and PATCH of `autoscaling/v1 Scale`. */
export async function scale(_call: Call, _subresource: Extract<Subresource, { kind: 'scale' }>): Promise<Answer> {
  throw notImplemented('scale')
}
