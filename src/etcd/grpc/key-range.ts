import { GrpcError } from '../../sdk/grpc/grpc-error.ts'

/** Keys from `key` to before `end`; `end` empty: the one key; a zero byte: all from there on. */
export interface KeyRange {
  readonly key: Buffer
  readonly end: Buffer
}

const ALL = Buffer.from([0])

/** The range that a request names. @throws {GrpcError} without a key */
export function keyRange(key: Uint8Array, end: Uint8Array): KeyRange {
  if (key.byteLength === 0) throw new GrpcError('InvalidArgument', 'etcdserver: key is not provided')
  return { key: Buffer.from(key), end: Buffer.from(end) }
}

export const isOne = ({ end }: KeyRange): boolean => end.byteLength === 0

/** Is the key (in UTF-8) within the range? In the order of bytes, as etcd compares. */
export function contains(range: KeyRange, key: Buffer): boolean {
  if (isOne(range)) return key.equals(range.key)
  if (range.key.equals(ALL) && range.end.equals(ALL)) return true
  return Buffer.compare(key, range.key) >= 0 && (range.end.equals(ALL) || Buffer.compare(key, range.end) < 0)
}

const SLASH = 0x2f

/** The longest text that ends with a slash and with which every key of the range begins; empty where there is none. */
export function commonFolder({ key, end }: KeyRange): string {
  // The end of a prefix is the prefix with its last byte one higher.
  const prefix = Buffer.from(end)
  const last = prefix.byteLength - 1
  if (last >= 0) prefix[last] = (prefix[last] ?? 0) - 1
  const shared = last >= 0 && key.subarray(0, prefix.byteLength).equals(prefix) ? prefix : key.subarray(0, commonLength(key, end))
  return shared.subarray(0, shared.lastIndexOf(SLASH) + 1).toString()
}

function commonLength(a: Buffer, b: Buffer): number {
  let length = 0
  while (length < a.byteLength && length < b.byteLength && a[length] === b[length]) length++
  return length
}

/** The text of a key. @throws {GrpcError} when it is no UTF-8: this store's keys are text */
export function keyText(key: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(key)
  } catch {
    throw new GrpcError('InvalidArgument', 'the keys of this store are UTF-8')
  }
}
