import type { WatchCache } from '../../../apiserver/cache/watch-cache.ts'
import type { ResourceRef } from '../../../machinery/api-call.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { serviceAccountName } from '../../../machinery/resource/service-account-name.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { listObjects, onChangeOf, readObject } from '../../../resources/read-objects.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../../resources/refs.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject } from '../../../resources/types/rbac.ts'

export const RBAC_GROUP = 'rbac.authorization.k8s.io'

type Binding = ClusterRoleBinding | RoleBinding
const BINDINGS: readonly ResourceRef<Binding>[] = [CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS]

/** A user's rule, and the binding that grants it. */
export interface Grant {
  readonly rule: PolicyRule
  readonly binding: Binding
  readonly subject: Subject
}

/** A user's rules in one scope. */
export interface Holdings {
  readonly grants: readonly Grant[]
  /** Bound roles that do not exist. */
  readonly errors: readonly string[]
}

/** The rights by roles and bindings, kept up to date by the watch cache. */
export interface RbacPolicy {
  /** The rules by cluster role bindings (namespace `''`), or by the role bindings of one namespace. */
  holdings(user: UserInfo, namespace: string): Holdings
  /** The rules of a role; undefined if it does not exist. `namespace` is that of the binding. */
  roleRules(ref: Pick<RoleRef, 'kind' | 'name'>, namespace: string): readonly PolicyRule[] | undefined
}

type Feed = Pick<WatchCache, 'reader' | 'onChange'>

interface SubjectBinding {
  readonly binding: Binding
  readonly subject: Subject
}

/**
 * Bindings are indexed by subject and scope, so that a decision reads only the bindings of this user. A user's rules are cached by the user
 * object (authenticators return the same object for the same credentials) until any role or binding changes. Nothing is read before the
 * first decision: a server that only administrators use never reads a role.
 */
export function createRbacPolicy(feed: Feed): RbacPolicy {
  let known: Map<string, Map<string, SubjectBinding>> | undefined
  let remembered = new WeakMap<UserInfo, Map<string, Holdings>>()
  const bindings = () => {
    if (known !== undefined) return known
    const index = new Map<string, Map<string, SubjectBinding>>()
    known = index
    for (const ref of BINDINGS) {
      for (const binding of listObjects(feed.reader, ref)) enlist(index, binding)
      onChangeOf(feed, ref, (object, old) => {
        remembered = new WeakMap()
        if (old !== undefined) unlist(index, old)
        if (object !== undefined) enlist(index, object)
      })
    }
    for (const { group, resource } of [CLUSTER_ROLES, ROLES])
      feed.onChange(group, resource, () => {
        remembered = new WeakMap()
      })
    return index
  }

  const roleRules = (ref: Pick<RoleRef, 'kind' | 'name'>, namespace: string): readonly PolicyRule[] | undefined => {
    const role: ClusterRole | Role | undefined =
      ref.kind === 'ClusterRole'
        ? readObject(feed.reader, CLUSTER_ROLES, '', ref.name)
        : readObject(feed.reader, ROLES, namespace, ref.name)
    return role === undefined ? undefined : (role.rules ?? [])
  }

  const resolve = (user: UserInfo, namespace: string): Holdings => {
    const grants: Grant[] = []
    const errors = new Set<string>()
    const seen = new Set<Binding>()
    for (const who of [`u:${user.name}`, ...user.groups.map((g) => `g:${g}`)]) {
      for (const { binding, subject } of bindings().get(`${namespace}/${who}`)?.values() ?? []) {
        if (seen.has(binding)) continue
        seen.add(binding)
        const ref = binding.roleRef
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

function keysOf(binding: Binding): { readonly key: string; readonly entry: SubjectBinding }[] {
  const namespace = binding.metadata.namespace ?? ''
  const found: { key: string; entry: SubjectBinding }[] = []
  for (const subject of binding.subjects ?? []) {
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

function enlist(index: Map<string, Map<string, SubjectBinding>>, binding: Binding): void {
  for (const { key, entry } of keysOf(binding)) {
    let entries = index.get(key)
    if (entries === undefined) {
      entries = new Map()
      index.set(key, entries)
    }
    if (entries.get(binding.metadata.name ?? '')?.binding !== binding) entries.set(binding.metadata.name ?? '', entry)
  }
}

function unlist(index: Map<string, Map<string, SubjectBinding>>, binding: Binding): void {
  for (const { key } of keysOf(binding)) {
    const entries = index.get(key)
    entries?.delete(binding.metadata.name ?? '')
    if (entries?.size === 0) index.delete(key)
  }
}
