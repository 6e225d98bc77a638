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

/** A role that a user holds, and a binding that grants it: the first of several. */
export interface Grant {
  readonly binding: Binding
  readonly subject: Subject
}

/** A user's roles in one scope, and what they allow. */
export interface Holdings {
  /** As many as there are bindings: a role is listed once for each. */
  readonly bindings: readonly Grant[]
  /** One grant of each role. */
  readonly roles: readonly Grant[]
  /** The rules of a grant's role; undefined if it does not exist. They are read when they are needed. */
  rulesOf(grant: Grant): readonly PolicyRule[] | undefined
}

/** `role.rbac.authorization.k8s.io "x" not found` */
export const missingRole = ({ binding: { roleRef } }: Grant): string =>
  `${roleRef.kind.toLowerCase()}.${RBAC_GROUP} ${goQuote(roleRef.name)} not found`

/** The rights by roles and bindings, kept up to date by the watch cache. */
export interface RbacPolicy {
  /** The roles by cluster role bindings (namespace `''`), or by the role bindings of one namespace. */
  holdings(user: UserInfo, namespace: string): Holdings
  /** The rules of a role; undefined if it does not exist. `namespace` is that of the binding. */
  roleRules(ref: Pick<RoleRef, 'kind' | 'name'>, namespace: string): readonly PolicyRule[] | undefined
}

type Feed = Pick<WatchCache, 'reader' | 'onChange'>

/** The grants of a subject in a scope, by the names of their bindings; most subjects have one. */
type SubjectGrants = Grant | Map<string, Grant>

/**
 * Bindings are indexed by subject and scope, so that a decision reads only the bindings of this user. A user's rules are cached by the user
 * object (authenticators return the same object for the same credentials) until any role or binding changes. Nothing is read before the
 * first decision: a server that only administrators use never reads a role.
 */
export function createRbacPolicy(feed: Feed): RbacPolicy {
  let known: Map<string, SubjectGrants> | undefined
  let remembered = new WeakMap<UserInfo, Map<string, Holdings>>()
  const bindings = () => {
    if (known !== undefined) return known
    const index = new Map<string, SubjectGrants>()
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
    const held = new Map<Binding, Grant>()
    const roles = new Map<string, Grant>()
    for (const who of [`u:${user.name}`, ...user.groups.map((g) => `g:${g}`)])
      for (const grant of grantsOf(bindings().get(`${namespace}/${who}`))) {
        if (held.has(grant.binding)) continue
        held.set(grant.binding, grant)
        const { kind, name } = grant.binding.roleRef
        const role = `${kind}/${name}`
        if (!roles.has(role)) roles.set(role, grant)
      }
    const read = new Map<Binding['roleRef'], readonly PolicyRule[] | undefined>()
    const rulesOf = ({ binding: { roleRef } }: Grant) => {
      if (!read.has(roleRef)) read.set(roleRef, roleRules(roleRef, namespace))
      return read.get(roleRef)
    }
    return { bindings: [...held.values()], roles: [...roles.values()], rulesOf }
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

function grantsOf(found: SubjectGrants | undefined): Iterable<Grant> {
  if (found === undefined) return []
  return found instanceof Map ? found.values() : [found]
}

function* keysOf(binding: Binding): Generator<readonly [key: string, grant: Grant]> {
  const namespace = binding.metadata.namespace ?? ''
  for (const subject of binding.subjects ?? []) {
    const who = subjectKey(subject, namespace)
    if (who !== undefined) yield [`${namespace}/${who}`, { binding, subject }]
  }
}

function subjectKey({ kind, name, namespace: own }: Subject, namespace: string): string | undefined {
  if (kind === 'User') return `u:${name}`
  if (kind === 'Group') return `g:${name}`
  const home = own || namespace
  return home === '' ? undefined : `u:${serviceAccountName(home, name)}`
}

const nameOf = ({ binding }: Grant) => binding.metadata.name ?? ''

function enlist(index: Map<string, SubjectGrants>, binding: Binding): void {
  for (const [key, grant] of keysOf(binding)) {
    const found = index.get(key)
    if (found === undefined) index.set(key, grant)
    else if (found instanceof Map) {
      if (found.get(nameOf(grant))?.binding !== binding) found.set(nameOf(grant), grant)
    } else if (found.binding !== binding) index.set(key, new Map([found, grant].map((each) => [nameOf(each), each])))
  }
}

function unlist(index: Map<string, SubjectGrants>, binding: Binding): void {
  for (const [key, grant] of keysOf(binding)) {
    const found = index.get(key)
    if (found instanceof Map) {
      found.delete(nameOf(grant))
      if (found.size === 0) index.delete(key)
    } else if (found !== undefined && nameOf(found) === nameOf(grant)) index.delete(key)
  }
}
