import { ConfigurationFileError, notRegistered, readTypeMeta, readYaml } from '../../machinery/configuration-file.ts'
import { goDecode } from '../../machinery/go/go-decode.ts'
import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ARGS, CONFIGURATION, GROUP_VERSION, KIND } from './schema.ts'

/** Upstream's name of its scheme in error messages: the path of a source file. */
const SCHEME = 'k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30'

/** A configuration as it was written, of the right types, its plugins' arguments included; no defaults yet. */
export function decodeConfiguration(text: string): JsonObject {
  const { value, strict } = refused(() => readYaml(text))
  return decodeValue(value, text, strict)
}

/** The same for an object; `apiVersion` and `kind` default to those of a configuration. */
export function decodeConfigurationObject(object: Readonly<JsonObject>): JsonObject {
  const value = { apiVersion: GROUP_VERSION, kind: KIND, ...object }
  return decodeValue(JSON.parse(JSON.stringify(value)), JSON.stringify(value), [])
}

function decodeValue(value: Json, text: string, before: readonly string[]): JsonObject {
  const { apiVersion, kind } = refused(() => readTypeMeta(value, text))
  const type = apiVersion === GROUP_VERSION ? (kind === KIND ? CONFIGURATION : argsOf(kind.replace(/Args$/, ''))) : undefined
  if (type === undefined) throw new ConfigurationError(notRegistered(kind, apiVersion, SCHEME).message)
  const { value: typed, fault, unknown } = goDecode(value, type)
  if (fault !== undefined) throw new ConfigurationError(fault)
  const strict = [...before, ...unknown.map((field) => `unknown field "${field}"`)]
  const configuration = (typed ?? {}) as JsonObject
  if (kind === KIND) strict.push(...decodeArgs(configuration))
  if (strict.length > 0) throw new ConfigurationError(`strict decoding error: ${strict.join(', ')}`)
  if (kind !== KIND) throw new ConfigurationError(`couldn't decode as KubeSchedulerConfiguration, got ${kind}: `)
  return configuration
}

/** The faults of the file, in the scheduler's own class. */
function refused<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ConfigurationFileError ? new ConfigurationError(error.message) : error
  }
}

const argsOf = (plugin: string) => (Object.hasOwn(ARGS, plugin) ? ARGS[plugin] : undefined)

interface DecodedProfile {
  pluginConfig?: { name?: string; args?: Json }[]
}

/** Decodes the arguments of the plugins in place; returns the errors of strict decoding. */
function decodeArgs(configuration: JsonObject): string[] {
  const strict: string[] = []
  const profiles = (configuration.profiles ?? []) as DecodedProfile[]
  profiles.forEach((profile, i) => {
    ;(profile.pluginConfig ?? []).forEach((entry, j) => {
      const type = argsOf(entry.name ?? '')
      if (type === undefined) return
      const where = `decoding .profiles[${i}].pluginConfig[${j}]`
      const decoding = `decoding args for plugin ${entry.name}`
      const own = { apiVersion: GROUP_VERSION, kind: `${entry.name}Args` }
      const args = entry.args ?? {}
      let said: { readonly apiVersion: string; readonly kind: string }
      try {
        said = readTypeMeta(args, JSON.stringify(args), own)
        if (said.apiVersion !== GROUP_VERSION || !Object.hasOwn(ARGS, said.kind.replace(/Args$/, '')))
          throw notRegistered(said.kind, said.apiVersion, SCHEME)
      } catch (error) {
        throw error instanceof ConfigurationFileError ? new ConfigurationError(`${where}: ${decoding}: ${error.message}`) : error
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
