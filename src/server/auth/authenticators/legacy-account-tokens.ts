import { createPublicKey } from 'node:crypto'
import { type TokenAuthenticator, TokenError } from '../../../apiserver/identity/authenticator.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { serviceAccountGroups, serviceAccountName } from '../../../machinery/resource/service-account-name.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { SECRETS } from '../../../resources/refs.ts'
import type { Secret } from '../../../resources/types/core.ts'
import { goList } from './jwt/id-token.ts'
import type { SecretTokenUse } from './secret-token-use.ts'
import { type ServiceAccountTokensConfig, verifyToken } from './service-account-tokens.ts'

/** The issuer of tokens in secrets, before 1.24: they do not expire, and are for the API server unless they have an audience. */
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
      const held = audiencesIn(said.aud) ?? own
      const good = audiences.filter((a) => held.includes(a))
      if (good.length === 0)
        throw new TokenError(`token audiences ${goList(held)} is invalid for the target audiences ${goList(audiences)}`)
      const subject = claim('sub', 'sub')
      const namespace = claim(`${CLAIM}namespace`, 'namespace')
      const secret = claim(`${CLAIM}secret.name`, 'secretName')
      const name = claim(`${CLAIM}service-account.name`, 'serviceAccountName')
      const uid = claim(`${CLAIM}service-account.uid`, 'serviceAccountUID')
      if (subject !== serviceAccountName(namespace, name)) throw new TokenError('sub claim is invalid')
      if (lookup) use?.shown(checkAlive({ namespace, secret, name, uid, token }, reader), name)
      return { user: { name: subject, uid, groups: serviceAccountGroups(namespace) }, audiences: good, revocable: lookup }
    },
  }
}

/** The audiences of a token; undefined if it has none. */
function audiencesIn(claim: unknown): readonly string[] | undefined {
  const audiences = (Array.isArray(claim) ? claim : [claim]).filter((a) => typeof a === 'string')
  return audiences.length > 0 ? audiences : undefined
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
