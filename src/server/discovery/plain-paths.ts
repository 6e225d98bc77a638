import type { PlainAnswer, PlainPaths } from '../http/plain-paths.ts'
import type { ServerConfig, ServerDeps } from '../server.ts'
import { aggregated } from './aggregated.ts'
import { groupList, groupOf, legacyGroup, resourceList } from './resources.ts'
import { versionInfo } from './version.ts'

/** The paths that are no resources. */
export function plainPaths(config: ServerConfig, deps: ServerDeps): PlainPaths {
  const json = (value: unknown): PlainAnswer => ({
    code: 200,
    headers: { 'content-type': 'application/json' },
    body: `${JSON.stringify(value)}\n`,
  })
  return {
    async answer({ path, headers }) {
      const wantsAggregated = (headers.accept ?? '').includes('as=APIGroupDiscoveryList')
      const parts = path.split('/').filter((p) => p !== '')
      if (path === '/version') return json(versionInfo(config.gitVersion))
      if (path === '/healthz' || path === '/readyz' || path === '/livez')
        return { code: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' }
      if (path === '/api' || path === '/api/') {
        if (wantsAggregated) return aggregatedAnswer(aggregated(deps.definitions, true))
        return json(legacyGroup(`${config.host}:${config.port}`))
      }
      if (path === '/apis' || path === '/apis/') {
        if (wantsAggregated) return aggregatedAnswer(aggregated(deps.definitions, false))
        return json(groupList(deps.definitions))
      }
      if (parts[0] === 'api' && parts.length === 2 && parts[1] !== undefined) {
        const list = resourceList(deps.definitions, '', parts[1])
        return list && json(list)
      }
      if (parts[0] !== 'apis' || parts[1] === undefined) return undefined
      const found =
        parts.length === 2
          ? groupOf(deps.definitions, parts[1])
          : parts.length === 3
            ? resourceList(deps.definitions, parts[1], parts[2] ?? '')
            : undefined
      return found && json(found)
    },
  }
}

const aggregatedAnswer = (value: unknown): PlainAnswer => ({
  code: 200,
  headers: { 'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
  body: JSON.stringify(value),
})
