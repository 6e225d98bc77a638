import { STATUS_CODES } from 'node:http'
import { messageOf } from '../../../../base/message-of.ts'
import { giveTurn } from '../../../../base/turns.ts'
import { decodeJson } from '../../../../machinery/json/strict-json.ts'
import { isObject, type JsonObject } from '../../../../machinery/object.ts'
import type { IssuerClient } from './issuer-client.ts'
import { type CompactJwt, isSignedBy, keyOfJwk, type VerificationKey } from './jws.ts'
import { JwtError } from './jwt-error.ts'

/** Verifies signatures of one issuer. */
export interface KeySet {
  /** Resolves if the signature is valid. Rejects with go-oidc's message. */
  verify(jwt: CompactJwt): Promise<void>
}

/** The most keys of one set. */
const MOST_KEYS = 256

/** The keys at a URL. They are loaded again when a token is signed by an unknown key: that is how issuers rotate keys. */
export function remoteKeySet(url: string, client: IssuerClient): KeySet {
  let known: readonly VerificationKey[] = []
  let asking: Promise<readonly VerificationKey[]> | undefined
  const ask = () => {
    asking ??= fetchKeys(url, client).finally(() => {
      asking = undefined
    })
    return asking
  }
  return {
    async verify(jwt) {
      if (await isSignedByOne(jwt, known)) return
      try {
        known = await ask()
      } catch (error) {
        throw new JwtError(`failed to verify signature: fetching keys ${messageOf(error)}`)
      }
      if (!(await isSignedByOne(jwt, known))) throw new JwtError('failed to verify signature: failed to verify id token signature')
    },
  }
}

/** A token without a key's id is tried with all of them, with a turn for others before each: some algorithms take milliseconds. */
async function isSignedByOne(jwt: CompactJwt, keys: readonly VerificationKey[]): Promise<boolean> {
  const { kid } = jwt.header
  const wanted = typeof kid === 'string' ? kid : ''
  let tried = 0
  for (const key of keys) {
    if (wanted !== '' && key.id !== wanted) continue
    if (tried++ > 0) await giveTurn()
    if (isSignedBy(jwt, key.key)) return true
  }
  return false
}

async function fetchKeys(url: string, client: IssuerClient): Promise<readonly VerificationKey[]> {
  const failed = (why: string) => new Error(`oidc: get keys failed${why}`)
  const { status, body } = await client.get(url).catch((error) => {
    throw failed(` ${error.message}`)
  })
  if (status !== 200) throw failed(`: ${status} ${STATUS_CODES[status] ?? ''} ${body.toString()}`)
  const { keys } = jsonMap(body, (why) => new Error(`oidc: failed to decode keys: ${why} ${body.toString()}`))
  if (!Array.isArray(keys)) return []
  return keys
    .slice(0, MOST_KEYS)
    .filter((key): key is JsonObject => isObject(key))
    .map(keyOfJwk)
    .filter((key) => key !== undefined)
}

function jsonMap(bytes: Buffer, failed: (why: string) => Error): JsonObject {
  let value: unknown
  try {
    value = decodeJson(bytes).value
  } catch (error) {
    throw failed(messageOf(error))
  }
  return isObject(value) ? (value as JsonObject) : {}
}

/** The discovery document of an issuer. */
export interface Provider {
  readonly keys: KeySet
}

/**
 * Loads an issuer's discovery document. `discoveryUrl`: its URL, if not below the issuer.
 * Rejects with go-oidc's message.
 */
export async function discover(issuer: string, discoveryUrl: string, client: IssuerClient): Promise<Provider> {
  const url = discoveryUrl === '' ? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration` : discoveryUrl
  const { status, body } = await client.get(url)
  const text = body.toString()
  if (status !== 200) throw new JwtError(`${status} ${STATUS_CODES[status] ?? ''}: ${text}`)
  const document = jsonMap(body, (why) => new Error(`oidc: failed to decode provider discovery object: ${why}`))
  const named = typeof document.issuer === 'string' ? document.issuer : ''
  if (named !== issuer)
    throw new JwtError(
      `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(named)}`,
    )
  return { keys: remoteKeySet(typeof document.jwks_uri === 'string' ? document.jwks_uri : '', client) }
}
