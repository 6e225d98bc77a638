import type { ResourceDefinition } from '../../machinery/resource/definition.ts'

/** Everything below is objects. */
export const ROOT = '/registry/'
/** Custom objects stand apart, so that no definition of a user's can ever name a built-in resource's. */
const CUSTOM = `${ROOT}custom/`

/** Group and resource under which a definition's objects are stored. */
export const storedAs = (d: ResourceDefinition) => d.storedAs ?? { group: d.group, resource: d.names.plural }

/** Where built-in objects are stored (`/registry/apps/deployments/`), and where versions of Bowsprit up to 0.1 stored custom ones as well. */
export const builtinPrefix = (group: string, resource: string) => `${ROOT}${group === '' ? 'core' : group}/${resource}/`

/** Where custom objects are stored: `/registry/custom/stable.example.com/crontabs/`. No built-in group is called `custom`, and custom ones have a dot. */
export const customPrefix = (group: string, resource: string) => `${CUSTOM}${group}/${resource}/`

/** The prefix under which the object of a key stands beside all others of its resource; undefined for a key that is none of ours. */
export function prefixOf(storeKey: string): string | undefined {
  if (!storeKey.startsWith(ROOT)) return undefined
  const second = storeKey.indexOf('/', storeKey.startsWith(CUSTOM) ? CUSTOM.length : ROOT.length)
  const third = storeKey.indexOf('/', second + 1)
  return second < 0 || third < 0 ? undefined : storeKey.slice(0, third + 1)
}

/** What stands under a prefix. */
export function namesIn(prefix: string): { readonly group: string; readonly resource: string; readonly custom: boolean } {
  const custom = prefix.startsWith(CUSTOM)
  const [group = '', resource = ''] = prefix.slice(custom ? CUSTOM.length : ROOT.length).split('/')
  return { group: group === 'core' && !custom ? '' : group, resource, custom }
}
