import { encodeObject, orderedMeta, parseJson } from '../../apiserver/cache/object-bytes.ts'
import { namesIn, prefixOf } from '../../apiserver/cache/storage-keys.ts'
import type { Kinds } from '../../apiserver/kinds.ts'
import { messageOf } from '../../base/message-of.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import { apiVersionOf, isObject, type Json, type JsonObject, type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import { encodeProtobuf, isProtobuf, openEnvelope } from '../../machinery/protobuf/envelope.ts'
import { decodeMessage } from '../../machinery/protobuf/message.ts'
import { applyDefaultsAtOnce } from '../../machinery/resource/apply-defaults.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { decodeObject } from '../../machinery/schema/decode.ts'
import type { StructSchema } from '../../machinery/schema/schema.ts'
import { sortedKeys } from '../../machinery/sorted-keys.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { decodeYaml, encodeYaml } from '../../machinery/yaml/yaml.ts'
import type { StorageMediaType } from '../options/storage.ts'
import { STORED_DEFINITION, servedDefinition, storedDefinition } from './definition-form.ts'

/** Between the watch cache's form of an object (JSON in the storage version) and the bytes that kube-apiserver keeps. */
export interface StoredValues {
  /** `source`: the object that the JSON encodes, if it is at hand; protobuf is made from it, without reading the JSON. */
  encode(json: Uint8Array, source?: object): Buffer
  /** The same for an object of a kind that is not built in. */
  encodeCustom(json: Uint8Array, source?: object): Buffer
  /** `key`: the watch cache's. @throws {StatusError} 500, when the bytes are no object, or one of another kind than those of the key */
  decode(stored: Uint8Array, key: string): Buffer
}

type Typed = JsonObject & { apiVersion: string; kind: string }

export interface StoredValuesDeps {
  readonly kinds: Kinds
  /** The built-in kinds. */
  readonly definitions: readonly ResourceDefinition[]
  /** Of kinds that have a protobuf form. */
  readonly mediaType: StorageMediaType
}

/** Kinds of these groups are kept as JSON: their servers were programs of their own once. */
const JSON_GROUPS: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])
/** Kinds that 1.36 stores in another version than the preferred one, although their form is the same. */
const STORED_AS: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': 'v1beta1',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': 'v1beta1',
}

export function createStoredValues({ kinds, definitions, mediaType }: StoredValuesDeps): StoredValues {
  const byKind = new Map(definitions.map((d) => [`${d.group}/${d.names.kind}`, d]))

  /** The schema of a built-in kind. An early version that is not served any more has the form of the present one. */
  function schemaOf(apiVersion: string, kind: string): StructSchema | undefined {
    const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {}
    const present = byKind.get(`${group}/${kind}`)
    const known = kinds.has(group, version, kind) ? version : EARLY.test(version) ? present?.storageVersion : undefined
    const found = known === undefined || !kinds.has(group, known, kind) ? undefined : kinds.schema(group, known, kind)
    return found?.type === 'struct' ? found : undefined
  }

  /** The object in the version that the watch cache holds, with what is filled in wherever an object is decoded. */
  function current(object: KubeObject): KubeObject {
    const { group = '' } = parseApiVersion(object.apiVersion) ?? {}
    const own = byKind.get(`${group}/${object.kind}`)
    if (own === undefined) return object
    const [stored, apiVersion] = storageOf(own)
    const converted = apiVersion === object.apiVersion ? object : convertedBy(stored, object, apiVersion)
    applyDefaultsAtOnce(stored.rules, converted)
    return converted
  }

  function convertedBy({ convert }: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
    const { group = '', version = '' } = parseApiVersion(object.apiVersion) ?? {}
    if (convert === undefined || !kinds.has(group, version, object.kind)) return { ...object, apiVersion }
    const converted = convert([object], apiVersion)
    if (converted instanceof Promise) throw new Error('invariant: built-in kinds are converted at once')
    return converted[0] ?? object
  }

  function storageOf(own: ResourceDefinition): readonly [ResourceDefinition, string] {
    const { group, resource } = own.storedAs ?? { group: own.group, resource: own.names.plural }
    const stored = definitions.find((d) => d.group === group && d.names.plural === resource) ?? own
    return [stored, apiVersionOf({ group, version: stored.storageVersion })]
  }

  function read(stored: Uint8Array): { object: JsonObject; custom: boolean } {
    const raw = isProtobuf(stored) ? protobufObject(stored) : textObject(stored)
    const object = raw.apiVersion === STORED_DEFINITION ? servedDefinition(raw) : raw
    const { apiVersion, kind } = object
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw new Error("Object 'Kind' is missing in what is stored")
    const schema = schemaOf(apiVersion, kind)
    if (schema === undefined && byKind.has(`${parseApiVersion(apiVersion)?.group ?? ''}/${kind}`)) throw unregistered(apiVersion, kind)
    if (schema === undefined) return { object, custom: true }
    return { object: { ...decodeObject(schema, object).object, apiVersion, kind }, custom: false }
  }

  function protobufObject(stored: Uint8Array): JsonObject {
    const { apiVersion, kind, raw } = openEnvelope(stored)
    const schema = schemaOf(apiVersion, kind)
    if (apiVersion === '' && raw.length === 0) throw new Error('empty body')
    if (schema === undefined) throw unregistered(apiVersion, kind)
    return { ...decodeMessage(schema, raw), apiVersion, kind }
  }

  /** What the keys below a prefix hold; undefined: custom objects. */
  const kindsOfPrefixes = new Map<string, ResourceDefinition | undefined>()
  function definitionAt(prefix: string): ResourceDefinition | undefined {
    if (!kindsOfPrefixes.has(prefix)) {
      const { group, resource } = namesIn(prefix)
      kindsOfPrefixes.set(
        prefix,
        definitions.find((d) => d.group === group && d.names.plural === resource),
      )
    }
    return kindsOfPrefixes.get(prefix)
  }

  function assertKind({ apiVersion, kind }: JsonObject, key: string): void {
    const prefix = prefixOf(key)
    const own = prefix === undefined ? undefined : definitionAt(prefix)
    if (own === undefined || own.names.kind === kind) return
    const { version } = parseApiVersion(String(apiVersion)) ?? { version: '' }
    throw new Error(
      `converting (${version}.${String(kind)}) to (${own.group === '' ? 'core' : own.group.split('.', 1)[0]}.${own.names.kind}): unknown conversion`,
    )
  }

  /** The object, if it is written as protobuf: that encoder ignores what JSON leaves out. */
  function protobufSource(source: object): Typed | undefined {
    const object = source as Typed
    const { group = '' } = parseApiVersion(object.apiVersion) ?? {}
    if (mediaType !== 'application/vnd.kubernetes.protobuf' || JSON_GROUPS.has(group)) return undefined
    return withoutRevision(object)
  }

  function bytesOf(object: Typed): Buffer {
    const { group = '' } = parseApiVersion(object.apiVersion) ?? {}
    const schema = schemaOf(object.apiVersion, object.kind)
    if (mediaType === 'application/yaml' && schema !== undefined) return Buffer.from(encodeYaml(object))
    if (schema === undefined || JSON_GROUPS.has(group) || mediaType === 'application/json') return jsonLine(object)
    return encodeProtobuf(schema, object)
  }

  return {
    encode(json, source) {
      const object = (source && protobufSource(source)) ?? parsed(json)
      const { group = '' } = parseApiVersion(object.apiVersion) ?? {}
      if (group === 'apiextensions.k8s.io')
        return bytesOf({ ...storedDefinition(object), apiVersion: STORED_DEFINITION, kind: object.kind })
      const version = STORED_AS[`${group}/${object.kind}`]
      return bytesOf(version === undefined ? object : { ...object, apiVersion: apiVersionOf({ group, version }) })
    },
    encodeCustom: (json, source) => jsonLine(sortedKeys(source === undefined ? parsed(json) : withoutRevision(source as Typed))),
    decode(stored, key) {
      try {
        const { object, custom } = read(stored)
        assertKind(object, key)
        return encodeObject(current(withMetadata(object, custom)), custom)
      } catch (error) {
        throw new StatusError({ code: 500, message: messageOf(error), cause: error })
      }
    },
  }
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()

const parsed = (json: Uint8Array) => parseJson(textOf(json)) as Typed

function withoutRevision(object: Typed): Typed {
  const { resourceVersion: _, ...metadata } = object.metadata as JsonObject
  return { ...object, metadata }
}

/** JSON as Go's encoder writes it. */
const jsonLine = (value: Json): Buffer => Buffer.from(`${encodeJson(value, { html: true })}\n`)

const unregistered = (apiVersion: string, kind: string) =>
  new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`)

/** Versions that Kubernetes removes some releases after a later one exists. */
const EARLY = /^v\d+(alpha|beta)\d+$/
const OPEN = 0x7b

function textObject(stored: Uint8Array): JsonObject {
  const value = stored[0] === OPEN ? parseJson(textOf(stored)) : decodeYaml(stored).value
  // Go reads a bare text as the bytes of a raw extension.
  if (typeof value === 'string') throw new Error(`illegal base64 data at input byte ${Math.max(0, value.search(/[^A-Za-z0-9+/=\r\n]/))}`)
  if (!isObject(value as Json)) throw new Error('what is stored is no object')
  return value as JsonObject
}

function withMetadata(object: JsonObject, custom: boolean): KubeObject {
  const { metadata } = object
  const { resourceVersion: _, selfLink: __, ...rest } = isObject(metadata ?? null) ? (metadata as JsonObject) : {}
  return { ...(object as unknown as KubeObject), metadata: orderedMeta(rest, { custom, resourceVersion: '' }) }
}
