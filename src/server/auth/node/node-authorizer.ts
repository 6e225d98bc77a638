import { ALLOWED, type Attributes, type Authorizer, type Decision, NO_OPINION } from '../../../apiserver/identity/authorizer.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { parseFieldSelector } from '../../../machinery/selectors/field-selector.ts'
import { SelectorError } from '../../../machinery/selectors/label-requirement.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'
import { ruleAllows } from '../rbac/policy-rule.ts'
import { type NodeRelations, relatedTo } from './node-relations.ts'

const NODES = 'system:nodes'
const PREFIX = 'system:node:'

/** The node of a node agent's user: `''` if it has no name, undefined if the user is no agent. */
export function nodeOf(user: UserInfo): string | undefined {
  return user.name.startsWith(PREFIX) && user.groups.includes(NODES) ? user.name.slice(PREFIX.length) : undefined
}

/**
 * The rights of node agents: read what the pods of their node refer to, write their Node, their lease, their pods' status. `rules` are
 * those of every node (the rules of the default role `system:node`).
 */
export function nodeAuthorizer(relations: NodeRelations, reader: Reader, rules: readonly PolicyRule[]): Authorizer {
  return {
    authorize(a) {
      const node = nodeOf(a.user)
      if (node === undefined) return NO_OPINION
      if (node === '') return no(`unknown node for user ${JSON.stringify(a.user.name)}`)
      const special = a.resourceRequest ? SPECIAL[`${a.group}/${a.resource}`] : undefined
      const decision = special?.(a, node, relations, reader)
      if (decision !== undefined) return decision
      return rules.some((rule) => ruleAllows(rule, a)) ? ALLOWED : NO_OPINION
    },
  }
}

const no = (reason: string): Decision => ({ verdict: 'no-opinion', reason })

type Special = (a: Attributes, node: string, relations: NodeRelations, reader: Reader) => Decision | undefined

const SLICE_VERBS = 'get, watch, list, create, update, patch, delete, deletecollection'
const WRITES = ['get', 'create', 'update', 'patch', 'delete']

/** Reads of one object that a pod of the node refers to. */
const related: Special = (a, node, relations, reader) => {
  if (a.name === '') return no('No Object name found')
  return relatedTo(relations, reader, node, a.resource, a.namespace, a.name)
    ? ALLOWED
    : no(`no relationship found between node '${node}' and this object`)
}

const getRelated: Special = (a, ...rest) => {
  if (a.verb !== 'get') return no('can only get individual resources of this type')
  if (a.subresource !== '') return no('cannot get subresource')
  return related(a, ...rest)
}

const readRelated: Special = (a, ...rest) => {
  if (a.verb !== 'get' && a.verb !== 'list' && a.verb !== 'watch') return no('can only read resources of this type')
  if (a.subresource !== '') return no('cannot read subresource')
  if (a.namespace === '') return no('can only read namespaced object of this type')
  return related(a, ...rest)
}

const SPECIAL: Readonly<Record<string, Special>> = {
  '/secrets': readRelated,
  '/configmaps': readRelated,
  '/persistentvolumeclaims': (a, ...rest) => {
    if (a.subresource !== 'status') return getRelated(a, ...rest)
    return a.verb === 'update' || a.verb === 'patch' ? related(a, ...rest) : no('can only get/update/patch this type')
  },
  '/persistentvolumes': getRelated,
  'resource.k8s.io/resourceclaims': getRelated,
  'storage.k8s.io/volumeattachments': getRelated,
  '/serviceaccounts': (a, ...rest) => {
    if (a.verb === 'get' && a.subresource === '') return readRelated(a, ...rest)
    if (a.verb !== 'create' || a.name === '') return no('can only create tokens for individual service accounts')
    return a.subresource === 'token' ? related(a, ...rest) : no('can only create token subresource of serviceaccount')
  },
  'resource.k8s.io/resourceslices': (a, node, ...rest) => {
    if (a.subresource !== '') return no('cannot authorize ResourceSlice subresources')
    if (a.verb === 'create') return ALLOWED
    if (['get', 'update', 'patch', 'delete'].includes(a.verb)) return related(a, node, ...rest)
    if (!['list', 'watch', 'deletecollection'].includes(a.verb))
      return no(`only the following verbs are allowed for a ResourceSlice: ${SLICE_VERBS}`)
    return selects(a.fieldSelector, 'spec.nodeName', node)
      ? ALLOWED
      : no('can only list/watch/deletecollection resourceslices with nodeName field selector')
  },
  'coordination.k8s.io/leases': (a, node) => {
    if (!WRITES.includes(a.verb)) return no('can only get, create, update, patch, or delete a node lease')
    if (a.namespace !== 'kube-node-lease') return no('can only access leases in the "kube-node-lease" system namespace')
    if (a.verb !== 'create' && a.name !== node) return no('can only access node lease with the same name as the requesting node')
    return ALLOWED
  },
  'storage.k8s.io/csinodes': (a, node) => {
    if (!WRITES.includes(a.verb)) return no('can only get, create, update, patch, or delete a CSINode')
    if (a.subresource !== '') return no('cannot authorize CSINode subresources')
    if (a.verb !== 'create' && a.name !== node) return no('can only access CSINode with the same name as the requesting node')
    return ALLOWED
  },
  '/nodes': (a, node) => {
    if (a.subresource === 'status') return a.verb === 'update' || a.verb === 'patch' ? ALLOWED : NO_OPINION
    if (a.subresource !== '') return NO_OPINION
    if (a.verb === 'create' || a.verb === 'update' || a.verb === 'patch') return ALLOWED
    if (a.verb !== 'get' && a.verb !== 'list' && a.verb !== 'watch') return NO_OPINION
    if (a.name === node) return ALLOWED
    return no(`node '${node}' cannot read ${a.name === '' ? 'all nodes' : `'${a.name}'`}, only its own Node object`)
  },
  '/pods': (a, node, ...rest) => {
    if (a.subresource === 'status') return a.verb === 'update' || a.verb === 'patch' ? ALLOWED : NO_OPINION
    if (a.subresource === 'eviction') return a.verb === 'create' ? ALLOWED : NO_OPINION
    if (a.subresource !== '') return NO_OPINION
    if (a.verb === 'create' || a.verb === 'delete') return ALLOWED
    if (a.verb === 'get') return related(a, node, ...rest)
    if (a.verb !== 'list' && a.verb !== 'watch') return NO_OPINION
    if (selects(a.fieldSelector, 'spec.nodeName', node)) return ALLOWED
    return a.name === '' ? no('can only list/watch pods with spec.nodeName field selector') : related(a, node, ...rest)
  },
}

/** Whether the selector requires exactly this value of the field. What cannot be parsed selects nothing. */
function selects(selector: string | undefined, field: string, value: string): boolean {
  try {
    return parseFieldSelector(selector ?? '').requirements.some((r) => r.field === field && r.operator === '=' && r.value === value)
  } catch (error) {
    if (error instanceof SelectorError) return false
    throw error
  }
}
