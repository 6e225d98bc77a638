import { canonicalTime } from '../../machinery/schema/go-time.ts'
import type { Secret } from '../../resources/types/core.ts'

/** A token with which nodes join: a secret of this type, in `kube-system`. */
const TOKEN_TYPE = 'bootstrap.kubernetes.io/token'

/** Written out in `all/controller-list.ts` too, so that this is not loaded for it. */
export const isBootstrapToken = ({ type, metadata }: Secret): boolean => type === TOKEN_TYPE && metadata.namespace === 'kube-system'

/** The bytes under a key; none when there are none. */
export function bytesOf({ data = {} }: Secret, key: string): Buffer {
  const encoded = Object.hasOwn(data, key) ? data[key] : undefined
  return Buffer.from(encoded ?? '', 'base64')
}

/** When the token ends: undefined when it never does; a time that cannot be read has passed. Pure. */
export function expiresAtMs(secret: Secret): number | undefined {
  const text = bytesOf(secret, 'expiration').toString()
  if (text === '') return undefined
  try {
    canonicalTime(text)
  } catch {
    return Number.NEGATIVE_INFINITY
  }
  const at = Date.parse(text.replace(',', '.'))
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
}
