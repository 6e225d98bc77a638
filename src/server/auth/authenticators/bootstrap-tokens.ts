import { timingSafeEqual } from 'node:crypto'
import type { TokenAuthenticator } from '../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { SECRETS } from '../../../resources/refs.ts'
import type { Secret } from '../../../resources/types/core.ts'

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const DEFAULT_GROUP = 'system:bootstrappers'

/**
 * Bootstrap tokens of joining nodes: `ID.SECRET`, each in a secret `bootstrap-token-ID` in kube-system. An invalid or expired secret, or
 * one that is not for authentication, is ignored silently.
 */
export function bootstrapTokenAuthenticator(
  own: readonly string[],
  { clock, reader }: { readonly clock: Clock; readonly reader: Reader },
): TokenAuthenticator {
  return {
    authenticateToken(token, audiences) {
      const [, id, secret] = TOKEN.exec(token) ?? []
      const good = audiences.filter((a) => own.includes(a))
      if (id === undefined || secret === undefined || good.length === 0) return undefined
      const object = readObject(reader, SECRETS, 'kube-system', `bootstrap-token-${id}`)
      const groups = object === undefined ? undefined : groupsOf(object, { id, secret, nowMs: clock.now() })
      return groups === undefined ? undefined : { user: { name: `system:bootstrap:${id}`, groups }, audiences: good }
    },
  }
}

interface Shown {
  readonly id: string
  readonly secret: string
  readonly nowMs: number
}

/** The groups of a user with the secret's token; undefined if the token differs or the secret is invalid. */
export function groupsOf({ type, data, metadata }: Secret, shown: Shown): readonly string[] | undefined {
  if (type !== 'bootstrap.kubernetes.io/token' || metadata.deletionTimestamp !== undefined) return undefined
  const value = (key: string): string => {
    const encoded = Object.hasOwn(data ?? {}, key) ? data?.[key] : undefined
    return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString()
  }
  if (!isSame(value('token-secret'), shown.secret) || value('token-id') !== shown.id) return undefined
  if (hasEnded(value('expiration'), shown.nowMs) || value('usage-bootstrap-authentication') !== 'true') return undefined
  const extra = value('auth-extra-groups')
  const groups = extra === '' ? [] : extra.split(',')
  if (groups.some((group) => !GROUP.test(group))) return undefined
  return [...new Set([DEFAULT_GROUP, ...groups])].sort()
}

/** A comparison in constant time. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** An invalid time counts as passed. */
function hasEnded(expiration: string, nowMs: number): boolean {
  if (expiration === '') return false
  const isTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(expiration)
  const atMs = isTime ? Date.parse(expiration) : Number.NaN
  return Number.isNaN(atMs) || atMs <= nowMs
}
