import type { Target } from '../../src/sdk/client/client.ts'

/** `/apis/apps/v1/namespaces/x/deployments/y/status` as a target. */
export function targetOf(url: string): Target {
  const m = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))(?:\/namespaces\/([^/]+)(?=\/))?\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?/.exec(url)
  const [, core, group = '', version, namespace, resource = '', name, subresource] = m ?? []
  const optional = { ...(namespace ? { namespace } : {}), ...(name ? { name } : {}), ...(subresource ? { subresource } : {}) }
  return { group, version: core ?? version ?? '', resource, ...optional }
}
