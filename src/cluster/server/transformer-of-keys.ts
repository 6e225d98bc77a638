import { namesIn, prefixOf } from '../../apiserver/cache/storage-keys.ts'
import type { LiveEncryption } from '../../server/encryption/live-encryption.ts'
import type { TransformerOf } from '../../storage/encryption/encrypting-store.ts'
import { identity } from '../../storage/encryption/identity.ts'

/** The transformers of Bowsprit's own keys; what is no object is not encrypted. */
export function transformerOfKeys(live: Pick<LiveEncryption, 'transformerOf'>): TransformerOf {
  return (key) => {
    const prefix = prefixOf(key)
    if (prefix === undefined) return identity
    const { group, resource } = namesIn(prefix)
    return live.transformerOf({ group, resource })
  }
}
