import { createPublicKey } from 'node:crypto'
import { type TokenAuthenticator, TokenError } from '../../../apiserver/identity/authenticator.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { serviceAccountGroups, serviceAccountName } from '../../../machinery/resource/service-account-name.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { SECRETS } from '../../../resources/refs.ts'
import type { Secret } from '../../../resources/types/core.ts'
import type { SecretTokenUse } from './secret-token-use.ts'
import { type ServiceAccountTokensConfig, verifyToken } from './service-account-tokens.ts'

/** The issuer of tokens in secrets, before 1.24: they do not expire and have no audience. */
const ISSUER = 'kubernetes/serviceaccount'
const CLAIM = 'kubernetes.io/serviceaccount/'

/** Authenticates legacy tokens, as long as their secret and their account exist. */
export function legacyAccountTokenAuthenticator(
  { publicKeys, lookup }: ServiceAccountTokensConfig,
  own: readonly string[],
  { reader, use }: { readonly reader: Reader; readonly use?: SecretTokenUse | undefined },
): TokenAuthenticator {
  const keys = publicKeys.map((pem) => createPublicKey(pem))
  return {
    authenticateToken(token, audiences) {
      const claims: unknown = verifyToken(token, [ISSUER], keys)
      if (claims === undefined) return undefined
      const said = claims as Readonly<Record<string, unknown>>
      const claim = (name: string, missing: string): string => {
        const value = said[name]
        if (typeof value !== 'string' || value === '') throw new TokenError(`${missing} claim is missing`)
        return value
      }
      const subject = claim('sub', 'sub')
      const namespace = claim(`${CLAIM}namespace`, 'namespace')
      const secret = claim(`${CLAIM}secret.name`, 'secretName')
      const name = claim(`${CLAIM}service-account.name`, 'serviceAccountName')
      const uid = claim(`${CLAIM}service-account.uid`, 'serviceAccountUID')
      if (subject !== serviceAccountName(namespace, name)) throw new TokenError('sub claim is invalid')
      if (lookup) use?.shown(checkAlive({ namespace, secret, name, uid, token }, reader), name)
      const good = audiences.filter((a) => own.includes(a))
      if (good.length === 0) return undefined
      return { user: { name: subject, uid, groups: serviceAccountGroups(namespace) }, audiences: good, revocable: lookup }
    },
  }
}

interface TokenSecret {
  readonly namespace: string
  readonly secret: string
  readonly name: string
  readonly uid: string
  readonly token: string
}

function checkAlive({ namespace, secret, name, uid, token }: TokenSecret, reader: Reader): Secret {
  const holder = readObject(reader, SECRETS, namespace, secret)
  if (holder === undefined || holder.metadata.deletionTimestamp !== undefined) throw new TokenError('Token has been invalidated')
  if (Buffer.from(holder.data?.token ?? '', 'base64').toString() !== token) {
    throw new TokenError("Token does not match server's copy")
  }
  const account = reader.get('', 'serviceaccounts', namespace, name)
  if (account === undefined) throw new TokenError(`serviceaccounts "${name}" not found`)
  if (account.metadata.deletionTimestamp !== undefined) throw new TokenError(`service account ${namespace}/${name} has been deleted`)
  if (account.metadata.uid !== uid) {
    throw new TokenError(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`)
  }
  return holder
}
