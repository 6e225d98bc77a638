import type { Later } from '../../base/steps.ts'
import { asKubeObject, type KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Call, HandlerResult } from '../handlers/call.ts'
import { convert, convertAll } from '../store/conversion.ts'
import { requestVersion } from '../store/write.ts'

/** A response as an object, in the version of the request. */
export function objectOf(call: Call, answer: HandlerResult): Later<KubeObject> {
  const { definition } = call.served
  switch (answer.kind) {
    case 'item':
      return convert(definition, answer.item.object, requestVersion(call))
    case 'object':
      return answer.object
    case 'list':
      return listOf(call, answer)
    default:
      throw new StatusError({ code: 500, message: 'this call has no object as its answer' })
  }
}

async function listOf(call: Call, { items, metadata }: Extract<HandlerResult, { kind: 'list' }>): Promise<KubeObject> {
  const { definition } = call.served
  const apiVersion = requestVersion(call)
  const objects = items.map((item) => item.object)
  const kind = definition.names.listKind ?? `${definition.names.kind}List`
  return asKubeObject({ kind, apiVersion, metadata, items: await convertAll(definition, objects, apiVersion) })
}
