import type { Call } from '../../handlers/call.ts'
import { patchKind } from '../../handlers/patch/patch.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'
import { negotiate, type Offer, wantsPretty } from '../response/negotiate.ts'

/** Chooses the format of the response before anything is done. Throws 406, or 415 for a patch of a custom object whose type is unknown. */
export function negotiateFormat(_server: HttpServer, request: HttpRequest): void {
  const { call, info } = request
  const offer = offerOf(request)
  // The type of other patches is matched with their path.
  if (call !== undefined && offer?.unrouted === true && info.verb === 'patch') patchKind(call)
  if (offer !== undefined) request.format = negotiate(request.headers.accept, offer, wantsPretty(request.query, request.headers))
}

/** The formats of the call; undefined for connections that write whatever their backend writes. */
export function offerOf({ call, info: { verb } }: HttpRequest): Offer | undefined {
  if (call === undefined) return undefined
  const routed = call.subresource?.kind === 'connect' ? call.subresource.produces : undefined
  if (call.subresource?.kind === 'connect' && routed === undefined) return undefined
  const custom = call.served.definition.customDefinition !== undefined
  return {
    protobuf: custom ? 'metadata' : true,
    unrouted: custom,
    collection: call.target.subresource === '' && (verb === 'list' || verb === 'watch'),
    streaming: verb === 'watch',
    routed,
    forms: hasTable(call) ? undefined : 'metadata',
  }
}

/** Tables exist for what can be read, most statuses and scales, not for the answers of reviews and for parts of an object. */
function hasTable({ served, subresource }: Call): boolean {
  const { review, report } = served.definition
  if (review !== undefined && report === undefined) return false
  if (subresource?.kind === 'status') return subresource.table !== false
  return subresource === undefined || subresource.kind === 'scale'
}
