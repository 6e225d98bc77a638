import type { CountedRequest } from '../../metrics/request-counts.ts'
import type { Call } from '../call.ts'

/** What the metrics are told of a call. */
export function countedRequest({ served: { definition, version }, target, verb, subresource, query, body }: Call): CountedRequest {
  return {
    verb,
    group: definition.group,
    version: version.version,
    resource: definition.names.plural,
    subresource: target.subresource,
    scope: target.name !== '' || verb === 'create' ? 'resource' : target.namespace !== '' ? 'namespace' : 'cluster',
    dryRun: query.get('dryRun') === 'All',
    apply: verb === 'patch' && isApply(body),
    connects: subresource?.kind === 'connect',
    deprecated: version.deprecationWarning !== undefined,
  }
}

const isApply = (body: Call['body']): boolean =>
  body.kind === 'bytes' ? body.contentType?.startsWith('application/apply-patch') === true : body.patchType === 'apply'
