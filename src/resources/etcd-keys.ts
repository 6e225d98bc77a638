import { builtinResources } from './builtin.ts'
import { GATED_KINDS } from './gated-kinds.ts'

const ROOT = '/registry/'
const CUSTOM = `${ROOT}custom/`

/** Resources that Kubernetes keeps under another name than their own, for reasons of history. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  'core/services': 'services/specs',
  'core/endpoints': 'services/endpoints',
  'core/nodes': 'minions',
  'core/replicationcontrollers': 'controllers',
  'networking.k8s.io/ingresses': 'ingress',
}
/** Groups that are part of the keys of their resources, as for custom resources; keys of all others have the resource alone. */
const WITH_GROUP: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** Both ways between where Bowsprit keeps objects and where Kubernetes keeps them in etcd. Keys that are no objects' are the same. */
export interface KeyNames {
  /** `/registry/apps/deployments/default/web` → `/registry/deployments/default/web` */
  outside(key: string): string
  inside(key: string): string
  /** The prefix inside of all keys that begin with `folder` outside. `folder` ends with a slash or is empty. */
  insideFolder(folder: string): string
}

export function keyNames(): KeyNames {
  const outward = new Map<string, string>()
  const inward = new Map<string, string>()
  for (const { group: given, names, storedAs } of [...builtinResources(), ...GATED_KINDS.map((kind) => kind.definition)]) {
    const { group, resource } = storedAs ?? { group: given, resource: names.plural }
    const place = `${group === '' ? 'core' : group}/${resource}`
    const name = OLD_NAMES[place] ?? (WITH_GROUP.has(group) ? place : resource)
    outward.set(place, name)
    inward.set(name, place)
  }
  return {
    outside(key) {
      if (key.startsWith(CUSTOM)) return ROOT + key.slice(CUSTOM.length)
      return renamed(key, outward) ?? key
    },
    inside(key) {
      const known = renamed(key, inward)
      if (known !== undefined) return known
      const [group = '', resource] = key.startsWith(ROOT) ? key.slice(ROOT.length).split('/') : []
      return group.includes('.') && resource !== undefined ? CUSTOM + key.slice(ROOT.length) : key
    },
    insideFolder(folder) {
      if (!folder.startsWith(ROOT)) return folder
      const known = renamed(folder, inward)
      if (known !== undefined) return known
      const [group = '', resource, rest] = folder.slice(ROOT.length).split('/')
      // Keys of several resources, whose names inside have nothing in common.
      return group.includes('.') && resource !== undefined && rest !== undefined ? CUSTOM + folder.slice(ROOT.length) : ROOT
    },
  }
}

/** The first one or two words behind the root are looked up; two before one. A slash follows them. */
function renamed(key: string, table: ReadonlyMap<string, string>): string | undefined {
  if (!key.startsWith(ROOT)) return undefined
  const first = key.indexOf('/', ROOT.length)
  const second = first < 0 ? -1 : key.indexOf('/', first + 1)
  for (const end of [second, first]) {
    const name = end < 0 ? undefined : table.get(key.slice(ROOT.length, end))
    if (name !== undefined) return ROOT + name + key.slice(end)
  }
  return undefined
}
