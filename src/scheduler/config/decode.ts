import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { decodeYaml, YamlError } from '../../machinery/yaml.ts'
import { goDecode } from '../go-json/go-decode.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ARGS, CONFIGURATION, GROUP_VERSION, KIND } from './schema.ts'

/** The scheme in which upstream looks for kinds; its name tells where a source file of theirs lay. */
const SCHEME = 'k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30'

/** A configuration as it was written, of the right types, its plugins' arguments included; no defaults yet. */
export function decodeConfiguration(text: string): JsonObject {
  let value: Json
  let strict: string[] = []
  try {
    const decoded = decodeYaml(text)
    value = decoded.value
    if (decoded.strictError !== '') strict = [decoded.strictError]
  } catch (error) {
    throw error instanceof YamlError ? new ConfigurationError(error.message) : error
  }
  return decodeValue(value, text, strict)
}

/** The same for an object, which is a configuration unless it says otherwise. */
export function decodeConfigurationObject(object: Readonly<JsonObject>): JsonObject {
  const value = { apiVersion: GROUP_VERSION, kind: KIND, ...object }
  return decodeValue(JSON.parse(JSON.stringify(value)), JSON.stringify(value), [])
}

function decodeValue(value: Json, text: string, before: readonly string[]): JsonObject {
  const { apiVersion, kind } = typeMeta(value, text, undefined)
  const type = apiVersion === GROUP_VERSION ? (kind === KIND ? CONFIGURATION : ARGS[kind.replace(/Args$/, '')]) : undefined
  if (type === undefined) throw notRegistered(kind, apiVersion)
  const { value: typed, fault, unknown } = goDecode(value, type)
  if (fault !== undefined) throw new ConfigurationError(fault)
  const strict = [...before, ...unknown.map((field) => `unknown field "${field}"`)]
  const configuration = (typed ?? {}) as JsonObject
  if (kind === KIND) strict.push(...decodeArgs(configuration))
  if (strict.length > 0) throw new ConfigurationError(`strict decoding error: ${strict.join(', ')}`)
  if (kind !== KIND) throw new ConfigurationError(`couldn't decode as KubeSchedulerConfiguration, got ${kind}: `)
  return configuration
}

const notRegistered = (kind: string, apiVersion: string) =>
  new ConfigurationError(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${SCHEME}"`)

const HEAD = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** What an object says it is; `text` is shown where it does not say. Arguments of plugins are of a known kind unless they say otherwise. */
function typeMeta(value: Json, text: string, expected: { readonly apiVersion: string; readonly kind: string } | undefined) {
  const head = { kind: 'struct', name: HEAD, fields: { apiVersion: { kind: 'string' }, kind: { kind: 'string' } } } as const
  const { value: read, fault } = goDecode(value, head)
  if (fault !== undefined) throw new ConfigurationError(`couldn't get version/kind; json parse error: ${fault}`)
  const { apiVersion = expected?.apiVersion ?? '', kind = expected?.kind ?? '' } = (read ?? {}) as { apiVersion?: string; kind?: string }
  if (kind === '') throw new ConfigurationError(`Object 'Kind' is missing in '${text}'`)
  if (apiVersion === '') throw new ConfigurationError(`Object 'apiVersion' is missing in '${text}'`)
  if (apiVersion.split('/').length > 2) throw new ConfigurationError(`unexpected GroupVersion string: ${apiVersion}`)
  return { apiVersion, kind }
}

interface Profile {
  pluginConfig?: { name?: string; args?: Json }[]
}

/** Decodes the arguments of the plugins in place; gives back the faults that only a strict reading minds. */
function decodeArgs(configuration: JsonObject): string[] {
  const strict: string[] = []
  const profiles = (configuration.profiles ?? []) as Profile[]
  profiles.forEach((profile, i) => {
    ;(profile.pluginConfig ?? []).forEach((entry, j) => {
      const type = ARGS[entry.name ?? '']
      if (type === undefined) return
      const where = `decoding .profiles[${i}].pluginConfig[${j}]`
      const decoding = `decoding args for plugin ${entry.name}`
      const own = { apiVersion: GROUP_VERSION, kind: `${entry.name}Args` }
      const args = entry.args ?? {}
      let said: { readonly apiVersion: string; readonly kind: string }
      try {
        said = typeMeta(args, JSON.stringify(args), own)
        if (said.apiVersion !== GROUP_VERSION || !Object.hasOwn(ARGS, said.kind.replace(/Args$/, '')))
          throw notRegistered(said.kind, said.apiVersion)
      } catch (error) {
        throw error instanceof ConfigurationError ? new ConfigurationError(`${where}: ${decoding}: ${error.message}`) : error
      }
      if (said.kind !== own.kind) {
        const group = GROUP_VERSION.split('/')[0]
        throw new ConfigurationError(
          `${where}: args for plugin ${entry.name} were not of type ${own.kind}.${group}, got ${said.kind}.${group}`,
        )
      }
      const { value, fault, unknown } = goDecode(args, type)
      if (fault !== undefined) throw new ConfigurationError(`${where}: ${decoding}: ${fault}`)
      if (unknown.length > 0) {
        const fields = unknown.map((field) => `unknown field "${field}"`).join(', ')
        strict.push(`${where}: strict decoding error: ${decoding}: strict decoding error: ${fields}`)
      }
      entry.args = isObject(value) ? value : {}
    })
  })
  return strict
}
