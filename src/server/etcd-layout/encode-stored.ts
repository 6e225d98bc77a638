import { parseJson } from '../../apiserver/cache/object-bytes.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import { apiVersionOf, type Json, type JsonObject } from '../../machinery/object.ts'
import { encodeProtobuf } from '../../machinery/protobuf/envelope.ts'
import { sortedKeys } from '../../machinery/sorted-keys.ts'
import { encodeYaml } from '../../machinery/yaml/yaml.ts'
import type { StorageMediaType } from '../options/storage.ts'
import { textOf } from './decode-stored.ts'
import { STORED_DEFINITION, storedDefinition } from './definition-form.ts'
import { groupOf, type StoredKinds } from './stored-kinds.ts'

type Typed = JsonObject & { apiVersion: string; kind: string }

/** Kinds of these groups are kept as JSON: their servers were programs of their own once. */
const JSON_GROUPS: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])
/** Kinds that 1.36 stores in another version than the preferred one, although their form is the same. */
const STORED_AS: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': 'v1beta1',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': 'v1beta1',
}

/** Encodes objects of built-in kinds. */
export class StoredEncoder {
  readonly #kinds: StoredKinds
  readonly #mediaType: StorageMediaType

  constructor(kinds: StoredKinds, mediaType: StorageMediaType) {
    this.#kinds = kinds
    this.#mediaType = mediaType
  }

  encode(json: Uint8Array, source: object | undefined): Buffer {
    const object = this.#protobufSource(source as Typed | undefined) ?? parsed(json)
    const group = groupOf(object.apiVersion)
    if (group === 'apiextensions.k8s.io')
      return this.#bytesOf({ ...storedDefinition(object), apiVersion: STORED_DEFINITION, kind: object.kind })
    const version = STORED_AS[`${group}/${object.kind}`]
    return this.#bytesOf(version === undefined ? object : { ...object, apiVersion: apiVersionOf({ group, version }) })
  }

  /** The object, if it is written as protobuf: that encoder ignores what JSON leaves out. */
  #protobufSource(object: Typed | undefined): Typed | undefined {
    const isProtobuf = this.#mediaType === 'application/vnd.kubernetes.protobuf'
    return object !== undefined && isProtobuf && !JSON_GROUPS.has(groupOf(object.apiVersion)) ? withoutRevision(object) : undefined
  }

  #bytesOf(object: Typed): Buffer {
    const schema = this.#kinds.schemaOf(object.apiVersion, object.kind)
    if (this.#mediaType === 'application/yaml' && schema !== undefined) return Buffer.from(encodeYaml(object))
    if (schema === undefined || JSON_GROUPS.has(groupOf(object.apiVersion)) || this.#mediaType === 'application/json')
      return jsonLine(object)
    return encodeProtobuf(schema, object)
  }
}

export const encodeCustom = (json: Uint8Array, source?: object): Buffer =>
  jsonLine(sortedKeys(source === undefined ? parsed(json) : withoutRevision(source as Typed)))

const parsed = (json: Uint8Array) => parseJson(textOf(json)) as Typed

function withoutRevision(object: Typed): Typed {
  const { resourceVersion: _, ...metadata } = object.metadata as JsonObject
  return { ...object, metadata }
}

/** JSON as Go's encoder writes it. */
const jsonLine = (value: Json): Buffer => Buffer.from(`${encodeJson(value, { html: true })}\n`)
