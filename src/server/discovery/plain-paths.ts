import { methodNotAllowedHere, noResource } from '../handlers/route.ts'
import type { PlainAnswer, PlainPaths } from '../http/plain-paths.ts'
import type { Definitions } from '../registry/definitions.ts'
import type { ServerConfig, ServerDeps } from '../server.ts'
import { aggregated } from './aggregated.ts'
import { groupList, groupOf, legacyGroup, resourceList } from './resources.ts'
import { versionInfo } from './version.ts'

/** The paths that are no resources. */
export function plainPaths(config: ServerConfig, deps: ServerDeps): PlainPaths {
  const { definitions } = deps
  return {
    async answer(request) {
      const { headers, method } = request
      const path = request.path.length > 1 && request.path.endsWith('/') ? request.path.slice(0, -1) : request.path
      const wantsAggregated = (headers.accept ?? '').includes('as=APIGroupDiscoveryList')
      if (path === '/version') return readOnly(method, () => json(versionInfo(config.gitVersion)))
      if (path === '/healthz' || path === '/readyz' || path === '/livez')
        return { code: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' }
      if (path === '/api') {
        return readOnly(method, () =>
          wantsAggregated ? aggregatedAnswer(aggregated(definitions, true)) : json(legacyGroup(`${config.host}:${config.port}`)),
        )
      }
      if (path === '/apis') return wantsAggregated ? aggregatedAnswer(aggregated(definitions, false)) : json(groupList(definitions))
      return groupPath(definitions, method, path)
    },
  }
}

/** `/api/VERSION`, `/apis/GROUP` and `/apis/GROUP/VERSION`; undefined for other paths and unknown groups. */
function groupPath(definitions: Definitions, method: string, path: string): PlainAnswer | undefined {
  const [empty, root, ...rest] = path.split('/')
  if (empty !== '' || (root !== 'api' && root !== 'apis')) return undefined
  const group = root === 'api' ? '' : (rest.shift() ?? '')
  if (root === 'apis' && !definitions.hasGroup(group)) return undefined
  const [version] = rest
  if (rest.length > 1) throw noResource()
  const found = version === undefined ? groupOf(definitions, group) : resourceList(definitions, group, version)
  if (found === undefined) throw noResource()
  return readOnly(method, () => json(found))
}

function readOnly(method: string, make: () => PlainAnswer): PlainAnswer {
  if (method !== 'GET') throw methodNotAllowedHere()
  return make()
}

const json = (value: unknown): PlainAnswer => ({
  code: 200,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify(value)}\n`,
})

const aggregatedAnswer = (value: unknown): PlainAnswer => ({
  code: 200,
  headers: { 'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
  body: JSON.stringify(value),
})
