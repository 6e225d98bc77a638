import { FlagValueError } from '../../machinery/flags/flag.ts'
import { parseBool } from '../../machinery/flags/kinds.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { OptionsError } from '../options-error.ts'

/** The settings of `--runtime-config` by their keys: a resource, a group version, or a kind of versions (`api/beta`). */
export type RuntimeConfig = ReadonlyMap<string, boolean>

const KINDS_OF_VERSIONS: ReadonlySet<string> = new Set(['api/all', 'api/ga', 'api/beta', 'api/alpha', 'api/legacy', 'v1'])

/** The API of priority and fairness depends on these; the first that is set decides. */
const FLOW_CONTROL = ['flowcontrol.apiserver.k8s.io/v1', 'api/ga', 'api/all']

/** Faults that are found before the values are read. `fair`: with priority and fairness. */
export function runtimeConfigFaults(given: ReadonlyMap<string, string>, { fair }: { readonly fair: boolean }): string[] {
  for (const key of given.keys()) {
    const parts = key.split('/').length
    if (!KINDS_OF_VERSIONS.has(key) && parts !== 2 && parts !== 3) return [`runtime-config invalid key ${key}`]
  }
  const faults: string[] = []
  const decisive = FLOW_CONTROL.find((key) => ['true', 'false'].includes(given.get(key) ?? ''))
  if (fair && decisive !== undefined && given.get(decisive) === 'false')
    faults.push(`--runtime-config=${decisive}=false conflicts with --enable-priority-and-fairness=true`)
  const unknown = [...given.keys()].filter((key) => !KINDS_OF_VERSIONS.has(key) && !isKnownGroup(key.slice(0, key.indexOf('/'))))
  if (given.get('api/all') === 'false' && given.size === 1) faults.push('invalid runtime-config with only api/all=false')
  else if (unknown.length > 0) faults.push(`unknown api groups ${unknown.toSorted().join(',')}`)
  return faults
}

/** Groups of Kubernetes 1.36 that this server does not serve. */
const UNSERVED: ReadonlySet<string> = new Set(['internal.apiserver.k8s.io', 'storagemigration.k8s.io', 'imagepolicy.k8s.io'])
const isKnownGroup = (group: string) => UNSERVED.has(group) || builtinResources().some((definition) => definition.group === group)

/** Versions of served groups; for a resource (`group/version/resource`) its version. */
function isKnownVersion(key: string): boolean {
  if (KINDS_OF_VERSIONS.has(key)) return true
  const [group = '', version = ''] = key.split('/')
  if (UNSERVED.has(group)) return true
  return builtinResources().some((d) => d.group === group && (d.versions.some((v) => v.version === version) || isUnserved(version)))
}

/** Alpha and beta versions of Kubernetes that this server never serves. */
const isUnserved = (version: string) => /^v[1-3](alpha|beta)[1-4]$/.test(version)

/** @throws {OptionsError} for values that are no booleans, unknown versions, and without versions that every server has */
export function readRuntimeConfig(given: ReadonlyMap<string, string>): RuntimeConfig {
  const config = new Map([...given].map(([key, value]) => [key, readSwitch(key, value)]))
  if (!isSwitchedOn(config, '', 'v1')) throw new OptionsError('bad-option', 'API group/version v1 must be enabled')
  if (!isSwitchedOn(config, 'apiregistration.k8s.io', 'v1'))
    throw new OptionsError('bad-option', 'API group/version apiregistration.k8s.io/v1 must be enabled')
  return config
}

function readSwitch(key: string, value: string): boolean {
  try {
    const on = (value === '' && !KINDS_OF_VERSIONS.has(key)) || parseBool(value)
    if (!isKnownVersion(key)) throw new OptionsError('bad-option', `group version ${key} that has not been registered`)
    return on
  } catch (cause) {
    if (cause instanceof OptionsError) throw cause
    const why =
      KINDS_OF_VERSIONS.has(key) || !(cause instanceof FlagValueError)
        ? `invalid value ${key}=${value}`
        : `invalid value of ${key}: ${value}, err: ${cause.message}`
    throw new OptionsError('bad-option', why, { cause })
  }
}

/** Whether a version, or one resource of it, is served; `byDefault` if no setting is about it. The most specific setting decides. */
export function isSwitchedOn(config: RuntimeConfig, group: string, version: string, resource?: string, byDefault = true): boolean {
  const level = version.includes('alpha') ? 'api/alpha' : version.includes('beta') ? 'api/beta' : 'api/ga'
  const named = group === '' ? version : `${group}/${version}`
  const keys = [...(resource === undefined ? [] : [`${named}/${resource}`]), named, level, 'api/all']
  return keys.map((key) => config.get(key)).find((on) => on !== undefined) ?? byDefault
}

/** The definition without the versions that are switched off: their objects stay, and clients cannot use them. */
export function withSwitches(definition: ResourceDefinition, config: RuntimeConfig): ResourceDefinition {
  const { group, names, versions } = definition
  const isOn = ({ version }: { readonly version: string }) => isSwitchedOn(config, group, version, names.plural)
  if (config.size === 0 || versions.every(isOn)) return definition
  return { ...definition, versions: versions.map((version) => ({ ...version, served: version.served && isOn(version) })) }
}
