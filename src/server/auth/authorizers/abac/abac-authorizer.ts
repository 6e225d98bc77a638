import { ALLOWED, type Attributes, type Authorizer, type Decision } from '../../../../apiserver/identity/authorizer.ts'
import { withoutTrailing } from '../../../../base/without-trailing.ts'
import type { UserInfo } from '../../../../machinery/resource/user.ts'
import type { RuleResolver } from '../rule-resolver.ts'
import type { AbacPolicy } from './policy-file.ts'

const NOTHING_MATCHED: Decision = Object.freeze({ verdict: 'no-opinion', reason: 'No policy matched.' })

/** Allows what one of the policies allows. */
export function abacAuthorizer(policies: readonly AbacPolicy[]): Authorizer {
  return { authorize: (a) => (policies.some((policy) => matches(policy, a)) ? ALLOWED : NOTHING_MATCHED) }
}

const READS = ['get', 'list', 'watch']

function matches(p: AbacPolicy, a: Attributes): boolean {
  if (!isAbout(p, a.user) || (p.readonly && !READS.includes(a.verb))) return false
  if (!a.resourceRequest) return pathMatches(p.nonResourcePath, a.path)
  return is(p.namespace, a.namespace) && is(p.resource, a.resource) && is(p.apiGroup, a.group)
}

const is = (wanted: string, found: string) => wanted === '*' || wanted === found

/** `/foo/*` matches everything below `/foo/`. */
function pathMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true
  return pattern.endsWith('*') && path.startsWith(withoutTrailing(pattern, '*'))
}

/** A policy with a user and a group matches that user in that group; one with neither matches no user. */
function isAbout({ user, group }: AbacPolicy, who: UserInfo): boolean {
  if (user === '' && group === '') return false
  return (user === '' || user === who.name) && (group === '' || who.groups.includes(group))
}

/** What the policies allow to a user in a namespace. */
export function abacRules(policies: readonly AbacPolicy[]): RuleResolver {
  return (user, namespace) => {
    const held = policies.filter((p) => isAbout(p, user) && is(p.namespace, namespace))
    const verbs = (p: AbacPolicy) => (p.readonly ? READS : ['*'])
    return {
      resourceRules: held
        .filter((p) => p.resource !== '')
        .map((p) => ({ verbs: verbs(p), apiGroups: [p.apiGroup], resources: [p.resource] })),
      nonResourceRules: held
        .filter((p) => p.nonResourcePath !== '')
        .map((p) => ({ verbs: verbs(p), nonResourceURLs: [p.nonResourcePath] })),
      incomplete: false,
      errors: [],
    }
  }
}
