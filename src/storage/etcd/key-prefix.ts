/** The keys of a store inside of etcd, all below one prefix. */
export interface KeyPrefix {
  /** The key in etcd. */
  outside(key: string): Buffer
  inside(key: Uint8Array): string
  /** The end of the range of all keys that begin with this one. */
  endOf(key: string): Buffer
}

export function keyPrefix(prefix: string): KeyPrefix {
  const length = Buffer.byteLength(prefix)
  const outside = (key: string) => Buffer.from(prefix + key)
  return {
    outside,
    inside: (key) => Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('utf8', length),
    endOf: (key) => endOfPrefix(outside(key)),
  }
}

/** The smallest bytes behind all that begin with these: the last byte that can be raised is. A zero byte: to the end of all keys. */
function endOfPrefix(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix)
  for (let i = end.byteLength - 1; i >= 0; i--) {
    const byte = end[i] ?? 0
    if (byte === 0xff) continue
    end[i] = byte + 1
    return end.subarray(0, i + 1)
  }
  return Buffer.from([0])
}
