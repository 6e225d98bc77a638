import { LruMap } from '../../base/collections/lru-map.ts'
import { faultText, goQuote } from '../../machinery/field-error.ts'
import { dns1123Subdomain } from '../../machinery/names.ts'
import { serviceAccountGroups, splitServiceAccountName } from '../../machinery/resource/service-account-name.ts'
import { ANONYMOUS, SYSTEM_AUTHENTICATED, SYSTEM_MASTERS, SYSTEM_UNAUTHENTICATED, type UserInfo } from '../../machinery/resource/user.ts'
import { badRequest, type StatusError } from '../../machinery/status-error.ts'
import { validateDomainPrefixedPath } from '../../machinery/validation/domain-name.ts'
import { type Attributes, type Authorizer, type Decision, forbiddenRequest, resourceAttributes } from './authorizer.ts'
import { unescapeKey } from './header-key.ts'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

const EXTRA = 'impersonate-extra-'

/** True if any header concerns impersonation, so that all of them must be examined. */
export function asksToImpersonate(headers: Headers): boolean {
  for (const header in headers) if (header.startsWith('impersonate-')) return true
  return false
}

/**
 * The user to impersonate; undefined if the headers name none. Throws 400 for groups, uid or extras without a user. Header names are lower
 * case.
 */
export function impersonationWish(headers: Headers): UserInfo | undefined {
  const name = first(headers['impersonate-user']) ?? ''
  const uid = first(headers['impersonate-uid']) ?? ''
  const groups = all(headers['impersonate-group'])
  const extra: Record<string, readonly string[]> = Object.create(null)
  let extras = 0
  for (const header of Object.keys(headers)) {
    if (!header.startsWith(EXTRA)) continue
    extras++
    extra[unescapeKey(header.slice(EXTRA.length))] = all(headers[header])
  }
  if (name === '') {
    if (uid === '' && groups.length === 0 && extras === 0) return undefined
    throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`)
  }
  return { name, ...(uid === '' ? {} : { uid }), groups, ...(extras === 0 ? {} : { extra }) }
}

const first = (header: string | readonly string[] | undefined) => (typeof header === 'string' ? header : header?.[0])
/** Node joins repeated headers of unknown names with a comma; callers that keep `rawHeaders` give lists. */
const all = (header: string | readonly string[] | undefined): string[] =>
  header === undefined ? [] : typeof header === 'string' ? [header] : [...header]

function goUser(uid: string, groups: readonly string[], extra: Readonly<Record<string, readonly string[]>>): string {
  const list = (items: readonly string[]) => `[]string{${items.map(goQuote).join(', ')}}`
  const keys = Object.keys(extra).sort()
  const map =
    keys.length === 0
      ? 'map[string][]string(nil)'
      : `map[string][]string{${keys.map((k) => `${goQuote(k)}:${list(extra[k] ?? [])}`).join(', ')}}`
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}, Extra:${map}}`
}

/** Decides whether a user may impersonate another. */
export interface Impersonation {
  /**
   * The user of the request from now on. Throws the 403 of the mode that was tried first. `request` has the attributes of the request and
   * of the impersonating user.
   */
  impersonate(wish: UserInfo, request: Attributes): Promise<ActingUser>
}

export interface ActingUser {
  readonly user: UserInfo
  /** The constrained verb that allowed it, if any; audit events show it. */
  readonly constraint: string | undefined
}

/**
 * Kubernetes 1.36 has five modes. A constrained mode needs two permissions: to do *this* as a user of that sort
 * (`impersonate-on:user-info:list`), and to be that user (`impersonate:user-info` on `users`). The legacy mode needs `impersonate` alone.
 * All are tried, first the one that last succeeded for the impersonating user; the first refusal is the error.
 */
export function createImpersonation(authorizer: Authorizer): Impersonation {
  const lastGood = new LruMap<string, Way>(4096)
  return {
    async impersonate(wish, request) {
      const who = JSON.stringify([request.user.name, request.user.uid, request.user.groups])
      const remembered = lastGood.get(who)
      const ways = remembered === undefined ? WAYS : [remembered, ...WAYS.filter((w) => w !== remembered)]
      let refusal: StatusError | undefined
      for (const way of ways) {
        if (way.applies?.(wish, request.user) === false) continue
        const result = await attempt(way, authorizer, wish, request)
        if ('refusal' in result) refusal ??= result.refusal
        else {
          lastGood.set(who, way)
          return { user: result.user, constraint: way.mode === undefined ? undefined : `impersonate:${way.mode}` }
        }
      }
      throw refusal ?? forbiddenRequest(request)
    },
  }
}

interface Way {
  /** Undefined: the legacy mode, always tried. */
  readonly mode?: string
  readonly applies?: (wish: UserInfo, asking: UserInfo) => boolean
  /** Checks the name `*`, because the permission must cover every node. */
  readonly anyName?: boolean
}

const onlyName = (wish: UserInfo) => (wish.uid ?? '') === '' && wish.groups.length === 0 && Object.keys(wish.extra ?? {}).length === 0
const isAccount = (name: string) => splitServiceAccountName(name) !== undefined

/** `system:node:x` → `x`. */
function nodeName(user: string): string | undefined {
  const name = user.startsWith('system:node:') ? user.slice('system:node:'.length) : undefined
  return name !== undefined && dns1123Subdomain(name).length === 0 ? name : undefined
}

const WAYS: readonly Way[] = [
  {
    mode: 'associated-node',
    anyName: true,
    applies: (wish, asking) => {
      const wanted = nodeName(wish.name)
      const own = asking.extra?.['authentication.kubernetes.io/node-name'] ?? []
      return wanted !== undefined && onlyName(wish) && isAccount(asking.name) && own.length === 1 && own[0] === wanted
    },
  },
  { mode: 'arbitrary-node', applies: (wish) => onlyName(wish) && nodeName(wish.name) !== undefined },
  { mode: 'serviceaccount', applies: (wish) => onlyName(wish) && isAccount(wish.name) },
  { mode: 'user-info', applies: (wish) => nodeName(wish.name) === undefined && !isAccount(wish.name) },
  {},
]

type Attempt = { readonly user: UserInfo } | { readonly refusal: StatusError }

async function attempt(way: Way, authorizer: Authorizer, wish: UserInfo, request: Attributes): Promise<Attempt> {
  const checks = checksOf(way, wish, request)
  let skip = 0
  for (const check of checks) {
    if (skip-- > 0) continue
    if (check.fault !== undefined) return { refusal: forbiddenRequest(check.attributes, check.fault) }
    const decision = await authorizer.authorize(check.attributes)
    if (decision.verdict === 'allow') skip = check.covers ?? 0
    else if (check.covers === undefined) return { refusal: forbiddenRequest(check.attributes, whyNot(decision)) }
  }
  return { user: actingUser(way, wish) }
}

const whyNot = ({ reason, error }: Decision): string => [error, reason].filter(Boolean).join(': ')

interface Check {
  readonly attributes: Attributes
  readonly fault?: string
  /** The number of following checks that a positive result makes unnecessary; a negative one decides nothing. */
  readonly covers?: number
}

/** With this many groups or extras, a constrained mode first checks all of them with one request. */
const MANY = 4

function checksOf(way: Way, wish: UserInfo, request: Attributes): Check[] {
  const constrained = way.mode !== undefined
  const verb = constrained ? `impersonate:${way.mode}` : 'impersonate'
  const group = constrained ? 'authentication.k8s.io' : ''
  const asking = way.anyName === true ? withoutExtras(request.user) : request.user
  const ask = (resource: string, name: string, more: Partial<Attributes> = {}): Attributes =>
    resourceAttributes({ user: asking, verb, group, version: 'v1', resource, name, ...more })
  const checks: Check[] = []
  if (constrained) checks.push({ attributes: { ...request, user: asking, verb: `impersonate-on:${way.mode}:${request.verb}` } })
  const account = splitServiceAccountName(wish.name)
  const node = constrained ? nodeName(wish.name) : undefined
  if (account !== undefined) checks.push({ attributes: ask('serviceaccounts', account.name, { namespace: account.namespace }) })
  else if (node !== undefined) checks.push({ attributes: ask('nodes', way.anyName === true ? '*' : node) })
  else checks.push({ attributes: ask('users', wish.name) })
  if ((wish.uid ?? '') !== '') checks.push({ attributes: ask('uids', wish.uid ?? '', { group: 'authentication.k8s.io' }) })
  checks.push(...groupChecks(constrained, wish.groups, (name) => ask('groups', name)))
  checks.push(
    ...extraChecks(constrained, wish.extra ?? {}, (subresource, name) =>
      ask('userextras', name, { group: 'authentication.k8s.io', subresource }),
    ),
  )
  return checks
}

/** Without the extras of a service account's token, which differ from pod to pod and must not affect the result. */
const withoutExtras = (user: UserInfo): UserInfo => ({
  ...user,
  extra: { 'authentication.kubernetes.io/associated-node-keys': Object.keys(user.extra ?? {}).sort() },
})

function groupChecks(constrained: boolean, groups: readonly string[], ask: (name: string) => Attributes): Check[] {
  if (constrained && groups.includes('')) return [{ attributes: ask(''), fault: 'impersonating the empty string group is not allowed' }]
  if (constrained && groups.includes(SYSTEM_MASTERS)) {
    return [{ attributes: ask(SYSTEM_MASTERS), fault: 'impersonating the system:masters group is not allowed' }]
  }
  const each = groups.map((name): Check => ({ attributes: ask(name) }))
  return constrained && each.length >= MANY ? [{ attributes: ask('*'), covers: each.length }, ...each] : each
}

function extraChecks(
  constrained: boolean,
  extra: Readonly<Record<string, readonly string[]>>,
  ask: (key: string, value: string) => Attributes,
): Check[] {
  const keys = Object.keys(extra).sort()
  if (constrained) {
    const fault = keys.map((key) => extraFault(key, extra[key] ?? [])).find((f) => f !== undefined)
    if (fault !== undefined) return [{ attributes: ask('', ''), fault }]
  }
  const each = keys.flatMap((key) => (extra[key] ?? []).map((value): Check => ({ attributes: ask(key, value) })))
  return constrained && each.length >= MANY ? [{ attributes: ask('*', '*'), covers: each.length }, ...each] : each
}

function extraFault(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed'
  const faults = validateDomainPrefixedPath('extra.key', key).map(faultText)
  if (faults.length > 0) {
    return `impersonating an invalid key in extra is not allowed: ${faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`}`
  }
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`
  if (values.length === 0) return 'impersonating empty values in extra is not allowed'
  if (values.includes('')) return 'impersonating the empty string value in extra is not allowed'
  return undefined
}

function actingUser(way: Way, wish: UserInfo): UserInfo {
  const account = splitServiceAccountName(wish.name)
  let groups = [...wish.groups]
  if (way.mode !== undefined && nodeName(wish.name) !== undefined) groups = ['system:nodes']
  else if (account !== undefined && groups.length === 0) groups = serviceAccountGroups(account.namespace)
  if (wish.name === ANONYMOUS.name) ensure(groups, SYSTEM_UNAUTHENTICATED)
  else if (!groups.includes(SYSTEM_UNAUTHENTICATED)) ensure(groups, SYSTEM_AUTHENTICATED)
  return { ...wish, groups }
}

const ensure = (groups: string[], group: string) => {
  if (!groups.includes(group)) groups.push(group)
}
