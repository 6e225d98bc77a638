import { faultText } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import { bytes, int, many, message, text } from '../../../machinery/protobuf/plain-message.ts'
import { ProtobufError } from '../../../machinery/protobuf/wire.ts'
import { validateFullyQualifiedDomainName } from '../../../machinery/validation/domain-name.ts'
import { TransformError } from '../../../storage/encryption/value-transformer.ts'
import type { EncryptedKey } from './kms-service.ts'

/** How values are encrypted with the data key: by the key itself, or by keys that are derived from it as a seed. */
export const DIRECT = 0
export const SEED = 1

const Annotation = message<{ readonly key: string; readonly value: Uint8Array }>({ key: text(1), value: bytes(2) })
const EncryptedObject = message<{
  readonly data: Uint8Array
  readonly keyId: string
  readonly source: Uint8Array
  readonly annotations: readonly { readonly key: string; readonly value: Uint8Array }[]
  readonly sourceType: number
}>({ data: bytes(1), keyId: text(2), source: bytes(3), annotations: many(4, Annotation), sourceType: int(5) })

/** What KMS v2 stores for a value. */
export interface StoredEnvelope {
  readonly data: Uint8Array
  readonly key: EncryptedKey
  readonly sourceType: number
}

/** @throws {TransformError} if a part is invalid */
export function encodeEnvelope({ data, key, sourceType }: StoredEnvelope): Buffer {
  const annotations = [...key.annotations].map(([name, value]) => ({ key: name, value }))
  checkEnvelope({ data, key, sourceType })
  return EncryptedObject.encode({ data, keyId: key.keyId, source: key.ciphertext, annotations, sourceType })
}

/** @throws {TransformError} */
export function decodeEnvelope(stored: Uint8Array): StoredEnvelope {
  try {
    const { data, keyId, source, annotations, sourceType } = EncryptedObject.decode(stored)
    const byName = new Map(annotations.map(({ key, value }) => [key, value]))
    const envelope = { data, key: { ciphertext: source, keyId, annotations: byName }, sourceType }
    checkEnvelope(envelope)
    return envelope
  } catch (cause) {
    throw cause instanceof ProtobufError ? new TransformError(cause.message, { cause }) : cause
  }
}

const MOST_SOURCE_BYTES = 1024
const MOST_KEY_ID_BYTES = 1024
const MOST_ANNOTATION_BYTES = 32 * 1024

function checkEnvelope({ data, key, sourceType }: StoredEnvelope): void {
  if (sourceType !== DIRECT && sourceType !== SEED) throw new TransformError(`unknown encryptedDEKSourceType: ${sourceType}`)
  if (data.length === 0) throw new TransformError('encrypted data is empty')
  checkEncryptedKey(key)
}

/** Checks what a plugin answered, or what was stored. @throws {TransformError} */
export function checkEncryptedKey({ ciphertext, keyId, annotations }: EncryptedKey): void {
  const refuse = (what: string, why: string | undefined) => {
    if (why !== undefined) throw new TransformError(`failed to validate ${what}: ${why}`)
  }
  refuse('encrypted DEK source', sourceFault(ciphertext))
  refuse('key id', keyIdFault(keyId))
  refuse('annotations', annotationsFault(annotations))
}

function sourceFault({ length }: Uint8Array): string | undefined {
  if (length === 0) return 'encrypted DEK source is empty'
  return length > MOST_SOURCE_BYTES
    ? `encrypted DEK source is ${length} bytes, which exceeds the max size of ${MOST_SOURCE_BYTES}`
    : undefined
}

/** Why a key id cannot be used. */
export function keyIdFault(keyId: string): string | undefined {
  const length = Buffer.byteLength(keyId)
  if (length === 0) return 'keyID is empty'
  return length > MOST_KEY_ID_BYTES ? `keyID is ${length} bytes, which exceeds the max size of ${MOST_KEY_ID_BYTES}` : undefined
}

function annotationsFault(annotations: EncryptedKey['annotations']): string | undefined {
  const faults = [...annotations.keys()].flatMap((name) => validateFullyQualifiedDomainName('annotations', name).map(faultText))
  const size = [...annotations].reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + value.length, 0)
  if (size > MOST_ANNOTATION_BYTES)
    faults.push(`total size of annotations is ${size}, which exceeds the max size of ${MOST_ANNOTATION_BYTES}`)
  return faults.length === 0 ? undefined : joinErrors(faults)
}
