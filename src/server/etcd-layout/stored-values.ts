import type { Kinds } from '../../apiserver/kinds.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { StorageMediaType } from '../options/storage.ts'
import { decodeStored } from './decode-stored.ts'
import { encodeCustom, StoredEncoder } from './encode-stored.ts'
import { StoredKinds } from './stored-kinds.ts'

/** Between the watch cache's form of an object (JSON in the storage version) and the bytes that kube-apiserver keeps. */
export interface StoredValues {
  /** `source`: the object that the JSON encodes, if it is at hand; protobuf is made from it, without reading the JSON. */
  encode(json: Uint8Array, source?: object): Buffer
  /** The same for an object of a kind that is not built in. */
  encodeCustom(json: Uint8Array, source?: object): Buffer
  /** `key`: the watch cache's. @throws {StatusError} 500, when the bytes are no object, or one of another kind than those of the key */
  decode(stored: Uint8Array, key: string): Buffer
}

export interface StoredValuesDeps {
  readonly kinds: Kinds
  /** The built-in kinds. */
  readonly definitions: readonly ResourceDefinition[]
  /** Of kinds that have a protobuf form. */
  readonly mediaType: StorageMediaType
}

export function createStoredValues({ kinds, definitions, mediaType }: StoredValuesDeps): StoredValues {
  const stored = new StoredKinds(kinds, definitions)
  const encoder = new StoredEncoder(stored, mediaType)
  return {
    encode: (json, source) => encoder.encode(json, source),
    encodeCustom,
    decode: (bytes, key) => decodeStored(stored, bytes, key),
  }
}
