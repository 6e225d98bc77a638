import { createHmac } from 'node:crypto'
import type { ConfigMap, Secret } from '../../resources/types/core.ts'
import { bytesOf, expiresAtMs, isBootstrapToken } from './token.ts'

const CONTENT = 'kubeconfig'
const SIGNATURE = 'jws-kubeconfig-'
const NAME = /^bootstrap-token-([a-z0-9]{6})$/

/** The JWS of a text without the text in it (RFC 7515, appendix F), by the secret of a token. Pure. */
export function detachedSignature(content: string, id: string, secret: Buffer): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url')
  const payload = Buffer.from(content).toString('base64url')
  return `${header}..${createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')}`
}

/** The data that `kube-public/cluster-info` is to have, signed by each token that may; undefined when it has. Pure. */
export function signedData(map: ConfigMap, secrets: Iterable<Secret>, nowMs: number): Record<string, string> | undefined {
  const data: Readonly<Record<string, string>> = map.data ?? {}
  const content = data[CONTENT]
  if (content === undefined) return undefined
  const signed = new Map(Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE)))
  for (const secret of secrets) {
    const id = signer(secret, nowMs)
    if (id !== undefined) signed.set(`${SIGNATURE}${id}`, detachedSignature(content, id, bytesOf(secret, 'token-secret')))
  }
  const same = signed.size === Object.keys(data).length && [...signed].every(([key, value]) => data[key] === value)
  return same ? undefined : Object.fromEntries(signed)
}

/** The id of a token that signs: whole, named after its id, meant for it, and not at its end. */
function signer(secret: Secret, nowMs: number): string | undefined {
  if (!isBootstrapToken(secret)) return undefined
  const id = NAME.exec(secret.metadata.name ?? '')?.[1]
  if (id === undefined || bytesOf(secret, 'token-id').toString() !== id || bytesOf(secret, 'token-secret').length === 0) return undefined
  if (bytesOf(secret, 'usage-bootstrap-signing').toString() !== 'true') return undefined
  return (expiresAtMs(secret) ?? Number.POSITIVE_INFINITY) > nowMs ? id : undefined
}
