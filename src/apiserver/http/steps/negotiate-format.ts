import type { Call } from '../../handlers/call.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'
import { negotiate, wantsPretty } from '../response/negotiate.ts'

/** Chooses the format of the response before anything is done. Throws 406. */
export function negotiateFormat(_server: HttpServer, request: HttpRequest): void {
  const { call } = request
  if (call === undefined) return
  const routed = call.subresource?.kind === 'connect' ? call.subresource.produces : undefined
  // Other connections write whatever their backend writes.
  if (call.subresource?.kind === 'connect' && routed === undefined) return
  const { verb } = request.info
  const offer = {
    protobuf: call.served.definition.customDefinition === undefined,
    collection: call.target.subresource === '' && (verb === 'list' || verb === 'watch'),
    streaming: verb === 'watch',
    routed,
    ...(isStored(call) ? {} : { forms: 'metadata' as const }),
  }
  request.format = negotiate(request.headers.accept, offer, wantsPretty(request.query, request.headers))
}

/** Tables exist for stored objects and their subresources, not for computed ones. */
const isStored = ({ served, subresource }: Call) =>
  served.definition.review === undefined && subresource?.kind !== 'action' && subresource?.kind !== 'connect'
