import type { ResourceDefinition } from '../../machinery/resource/definition.ts'

/** The prefix of all objects. */
export const ROOT = '/registry/'
/** Custom objects have a prefix of their own, so that no CustomResourceDefinition can ever address a built-in resource's objects. */
const CUSTOM = `${ROOT}custom/`

/** The group and resource under which a definition's objects are stored. */
export const storedAs = (d: ResourceDefinition) => d.storedAs ?? { group: d.group, resource: d.names.plural }

/** The prefix of built-in objects (`/registry/apps/deployments/`). Bowsprit up to 0.1 stored custom objects there as well. */
export const builtinPrefix = (group: string, resource: string) => `${ROOT}${group === '' ? 'core' : group}/${resource}/`

/**
 * The prefix of custom objects: `/registry/custom/stable.example.com/crontabs/`. No built-in group is called `custom`, and custom groups
 * contain a dot.
 */
export const customPrefix = (group: string, resource: string) => `${CUSTOM}${group}/${resource}/`

/** The resource's prefix of an object's key; undefined for a foreign key. */
export function prefixOf(storeKey: string): string | undefined {
  if (!storeKey.startsWith(ROOT)) return undefined
  const second = storeKey.indexOf('/', storeKey.startsWith(CUSTOM) ? CUSTOM.length : ROOT.length)
  const third = storeKey.indexOf('/', second + 1)
  return second < 0 || third < 0 ? undefined : storeKey.slice(0, third + 1)
}

/** The group and resource that a prefix names. */
export function namesIn(prefix: string): { readonly group: string; readonly resource: string; readonly custom: boolean } {
  const custom = prefix.startsWith(CUSTOM)
  const [group = '', resource = ''] = prefix.slice(custom ? CUSTOM.length : ROOT.length).split('/')
  return { group: group === 'core' && !custom ? '' : group, resource, custom }
}
