import type { WatchCache } from '../../../apiserver/cache/watch-cache.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { serviceAccountName } from '../../../machinery/resource/service-account-name.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import type { PolicyRule } from './policy-rule.ts'

export const RBAC_GROUP = 'rbac.authorization.k8s.io'

export interface RoleRef {
  readonly kind: string
  readonly name: string
  readonly apiGroup?: string
}

export interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** A rule that a user holds, and through which binding. */
export interface Grant {
  readonly rule: PolicyRule
  readonly binding: KubeObject
  readonly subject: Subject
}

/** What a user holds in one scope. */
export interface Holdings {
  readonly grants: readonly Grant[]
  /** Roles that are bound and do not exist. */
  readonly errors: readonly string[]
}

/** Who may do what by roles and bindings, kept up to date by the watch cache's changes. */
export interface RbacPolicy {
  /** What cluster role bindings give (namespace `''`), or what role bindings of one namespace give. */
  holdings(user: UserInfo, namespace: string): Holdings
  /** The rules of a role; undefined when there is none. `namespace` is that of the binding. */
  roleRules(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined
}

type Feed = Pick<WatchCache, 'reader' | 'onChange'>

interface Entry {
  readonly binding: KubeObject
  readonly subject: Subject
}

/**
 * Bindings are indexed by subject and scope, so a decision looks at the bindings of this user and no other's. What a user holds is
 * remembered by the user's value (authenticators give the same value for the same credentials) until any role or binding changes. Nothing
 * is read before the first question: who is asked by administrators alone never reads a role.
 */
export function createRbacPolicy(feed: Feed): RbacPolicy {
  let known: Map<string, Map<string, Entry>> | undefined
  let remembered = new WeakMap<UserInfo, Map<string, Holdings>>()
  const bindings = () => {
    if (known !== undefined) return known
    const index = new Map<string, Map<string, Entry>>()
    known = index
    for (const resource of ['clusterrolebindings', 'rolebindings']) {
      for (const binding of feed.reader.list(RBAC_GROUP, resource)) enlist(index, binding)
      feed.onChange(RBAC_GROUP, resource, (object, old) => {
        remembered = new WeakMap()
        if (old !== undefined) unlist(index, old)
        if (object !== undefined) enlist(index, object)
      })
    }
    for (const resource of ['clusterroles', 'roles'])
      feed.onChange(RBAC_GROUP, resource, () => {
        remembered = new WeakMap()
      })
    return index
  }

  const roleRules = (ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined => {
    const role =
      ref.kind === 'ClusterRole'
        ? feed.reader.get(RBAC_GROUP, 'clusterroles', '', ref.name)
        : feed.reader.get(RBAC_GROUP, 'roles', namespace, ref.name)
    return role === undefined ? undefined : ((role.rules ?? []) as readonly PolicyRule[])
  }

  const resolve = (user: UserInfo, namespace: string): Holdings => {
    const grants: Grant[] = []
    const errors = new Set<string>()
    const seen = new Set<KubeObject>()
    for (const who of [`u:${user.name}`, ...user.groups.map((g) => `g:${g}`)]) {
      for (const { binding, subject } of bindings().get(`${namespace}/${who}`)?.values() ?? []) {
        if (seen.has(binding)) continue
        seen.add(binding)
        const ref = binding.roleRef as RoleRef
        const rules = roleRules(ref, namespace)
        if (rules === undefined) errors.add(`${ref.kind.toLowerCase()}.${RBAC_GROUP} ${goQuote(ref.name)} not found`)
        for (const rule of rules ?? []) grants.push({ rule, binding, subject })
      }
    }
    return { grants, errors: [...errors] }
  }

  return {
    roleRules,
    holdings(user, namespace) {
      let scopes = remembered.get(user)
      if (scopes === undefined) {
        scopes = new Map()
        remembered.set(user, scopes)
      }
      let held = scopes.get(namespace)
      if (held === undefined) {
        held = resolve(user, namespace)
        scopes.set(namespace, held)
      }
      return held
    },
  }
}

function keysOf(binding: KubeObject): { readonly key: string; readonly entry: Entry }[] {
  const namespace = binding.metadata.namespace ?? ''
  const found: { key: string; entry: Entry }[] = []
  for (const subject of (binding.subjects ?? []) as readonly Subject[]) {
    let who: string
    if (subject.kind === 'User') who = `u:${subject.name}`
    else if (subject.kind === 'Group') who = `g:${subject.name}`
    else {
      const home = subject.namespace || namespace
      if (home === '') continue
      who = `u:${serviceAccountName(home, subject.name)}`
    }
    found.push({ key: `${namespace}/${who}`, entry: { binding, subject } })
  }
  return found
}

function enlist(index: Map<string, Map<string, Entry>>, binding: KubeObject): void {
  for (const { key, entry } of keysOf(binding)) {
    let entries = index.get(key)
    if (entries === undefined) {
      entries = new Map()
      index.set(key, entries)
    }
    if (entries.get(binding.metadata.name ?? '')?.binding !== binding) entries.set(binding.metadata.name ?? '', entry)
  }
}

function unlist(index: Map<string, Map<string, Entry>>, binding: KubeObject): void {
  for (const { key } of keysOf(binding)) {
    const entries = index.get(key)
    entries?.delete(binding.metadata.name ?? '')
    if (entries?.size === 0) index.delete(key)
  }
}
