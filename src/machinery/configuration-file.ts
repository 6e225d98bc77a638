import { goDecode } from './go/go-decode.ts'
import { goJsonFault } from './go/go-json-fault.ts'
import { type GoStruct, goString, struct } from './go/go-type.ts'
import { decodeJson } from './json/strict-json.ts'
import { isObject, type Json, type JsonObject } from './object.ts'
import { decodeYaml, YamlError } from './yaml/yaml.ts'

/** An invalid configuration file; the message is that of Kubernetes' decoder. */
export class ConfigurationFileError extends Error {
  override readonly name = 'ConfigurationFileError'
  readonly code = 'invalid'
}

/** The kinds that a file may contain. */
export interface ConfigurationKinds {
  /** The type of a kind, by `GROUP/VERSION KIND`; a kind without a group is written with its version alone (`v1 Config`). */
  readonly types: Readonly<Record<string, GoStruct>>
  /** Other kinds that upstream's decoder knows, and its message for a file that contains one of them. */
  readonly others?: { readonly kinds: Readonly<Record<string, readonly string[]>>; readonly says: (kind: string) => string }
  /** Treat unknown fields and duplicate keys as faults. */
  readonly strict: boolean
}

export interface ConfigurationObject {
  readonly apiVersion: string
  readonly kind: string
  /** The members that fit the type, without defaults. */
  readonly value: JsonObject
}

/**
 * Reads a configuration file (YAML or JSON) as Kubernetes' codecs do.
 * @throws {ConfigurationFileError} in their words
 */
export function decodeConfigurationFile(text: string, kinds: ConfigurationKinds): ConfigurationObject {
  const { value, strict: before } = readYaml(text)
  const { apiVersion, kind } = readTypeMeta(value, text)
  const key = `${apiVersion} ${kind}`
  const type = Object.hasOwn(kinds.types, key) ? kinds.types[key] : undefined
  if (type === undefined) {
    const other = kinds.others !== undefined && Object.hasOwn(kinds.others.kinds, kind) && kinds.others.kinds[kind]?.includes(apiVersion)
    throw other ? new ConfigurationFileError(kinds.others?.says(kind)) : notRegistered(kind, apiVersion)
  }
  const decoded = goDecode(value, { ...type, fields: { ...TYPE_META, ...type.fields } })
  if (decoded.fault !== undefined) throw new ConfigurationFileError(decoded.fault)
  const strict = [...before, ...decoded.unknown.map((field) => `unknown field "${field}"`)]
  if (kinds.strict && strict.length > 0) throw new ConfigurationFileError(`strict decoding error: ${strict.join(', ')}`)
  return { apiVersion, kind, value: isObject(decoded.value) ? decoded.value : {} }
}

const TYPE_META = { apiVersion: goString, kind: goString }

interface ReadDocument {
  readonly value: Json
  /** The errors of strict decoding. */
  readonly strict: readonly string[]
}

/** The document as JSON. A text that begins like JSON is parsed as JSON. */
export function readYaml(text: string): ReadDocument {
  if (text.trimStart().startsWith('{')) {
    const fault = goJsonFault(text, '')
    if (fault !== undefined) throw new ConfigurationFileError(`couldn't get version/kind; json parse error: ${fault}`)
    const { value, duplicates } = decodeJson(text, { merge: true })
    return { value, strict: duplicates.map((field) => `duplicate field "${field}"`) }
  }
  try {
    const { value, strictError } = decodeYaml(text)
    return { value, strict: strictError === '' ? [] : [strictError] }
  } catch (error) {
    throw error instanceof YamlError ? new ConfigurationFileError(error.message) : error
  }
}

/** Upstream's name of most of its schemes: the source file that created them. */
const SCHEME = 'pkg/runtime/scheme.go:111'

export function notRegistered(kind: string, apiVersion: string, scheme = SCHEME): ConfigurationFileError {
  const [group, version] = apiVersion.split('/')
  const where = version === '__internal' ? `the internal version of group "${group}"` : `version "${apiVersion}"`
  return new ConfigurationFileError(`no kind "${kind}" is registered for ${where} in scheme "${scheme}"`)
}

const HEAD = struct('struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }', TYPE_META)

/** The type of an object; `text` is shown if it names none and no type is expected. */
export function readTypeMeta(value: Json, text: string, expected?: { readonly apiVersion: string; readonly kind: string }) {
  const { value: read, fault } = goDecode(value, HEAD)
  if (fault !== undefined) throw new ConfigurationFileError(`couldn't get version/kind; json parse error: ${fault}`)
  const named = (read ?? {}) as { apiVersion?: string; kind?: string }
  const apiVersion = named.apiVersion || expected?.apiVersion || ''
  const kind = named.kind || expected?.kind || ''
  if (kind === '') throw new ConfigurationFileError(`Object 'Kind' is missing in '${text}'`)
  if (apiVersion === '') throw new ConfigurationFileError(`Object 'apiVersion' is missing in '${text}'`)
  if (apiVersion.split('/').length > 2) throw new ConfigurationFileError(`unexpected GroupVersion string: ${apiVersion}`)
  return { apiVersion, kind }
}
