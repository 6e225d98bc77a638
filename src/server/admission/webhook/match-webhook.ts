import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import type { ResourceRegistry } from '../../../apiserver/cache/resource-registry.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { compileLabelSelector } from '../../../machinery/selectors/label-selector.ts'
import type { ReinvocationPolicyType, RuleWithOperations, ValidatingWebhook } from '../../../resources/types/admissionregistration.ts'

/** One webhook of a configuration, as stored (with defaults). */
export interface Webhook extends ValidatingWebhook {
  /** The name of the configuration. */
  readonly configuration: string
  /** For mutating webhooks. */
  readonly reinvocationPolicy?: ReinvocationPolicyType
}

/** The version in which the webhook gets the request. */
export interface Match {
  readonly version: string
}

export interface MatchDeps {
  readonly reader: Reader
  readonly definitions: Pick<ResourceRegistry, 'get'>
}

/** Whether the webhook's rules and selectors match the request; match conditions are not checked here. */
export function matchWebhook(hook: Webhook, request: AdmissionRequest, deps: MatchDeps): Match | undefined {
  const match = matchRules(hook, request, deps)
  if (match === undefined) return undefined
  if (!namespaceMatches(hook, request, deps.reader) || !objectMatches(hook, request)) return undefined
  return match
}

function matchRules(hook: Webhook, request: AdmissionRequest, { definitions }: MatchDeps): Match | undefined {
  const { group, version, resource } = request.resource
  const rules = hook.rules ?? []
  if (rules.some((rule) => ruleMatches(rule, request, version))) return { version }
  if (hook.matchPolicy === 'Exact') return undefined
  // matchPolicy Equivalent: the same resource in another version.
  for (const other of definitions.get(group, resource)?.versions ?? []) {
    if (other.served && other.version !== version && rules.some((rule) => ruleMatches(rule, request, other.version)))
      return { version: other.version }
  }
  return undefined
}

const has = (list: readonly string[] | undefined, wanted: string) => list !== undefined && (list.includes('*') || list.includes(wanted))

/** Whether one rule matches the request in this version of its resource. */
export function ruleMatches(rule: RuleWithOperations, request: AdmissionRequest, version: string): boolean {
  if (!has(rule.operations, request.operation) || !has(rule.apiGroups, request.resource.group) || !has(rule.apiVersions, version))
    return false
  if (rule.scope === 'Namespaced' && (request.namespace === '' || request.resource.resource === 'namespaces')) return false
  if (rule.scope === 'Cluster' && request.namespace !== '' && request.resource.resource !== 'namespaces') return false
  return (rule.resources ?? []).some((pattern) => {
    const [resource = '', subresource = ''] = pattern.split('/')
    return (resource === '*' || resource === request.resource.resource) && (subresource === '*' || subresource === request.subresource)
  })
}

/** Whether the namespace of the request is selected; true for cluster-scoped objects. */
export function namespaceMatches(hook: Pick<Webhook, 'namespaceSelector'>, request: AdmissionRequest, reader: Reader): boolean {
  const isNamespace = request.resource.group === '' && request.resource.resource === 'namespaces'
  if (
    hook.namespaceSelector === undefined ||
    Object.keys(hook.namespaceSelector).length === 0 ||
    (request.namespace === '' && !isNamespace)
  )
    return true
  const selector = compileLabelSelector(hook.namespaceSelector)
  if (isNamespace && request.subresource === '') {
    const namespace = request.operation === 'CREATE' ? request.object : (request.oldObject ?? request.object)
    return selector.matches(namespace?.metadata.labels ?? {})
  }
  return selector.matches(reader.get('', 'namespaces', '', request.namespace || request.name)?.metadata.labels ?? {})
}

/** Whether the object or the old object is selected. */
export function objectMatches(hook: Pick<Webhook, 'objectSelector'>, request: AdmissionRequest): boolean {
  if (hook.objectSelector === undefined || Object.keys(hook.objectSelector).length === 0) return true
  const selector = compileLabelSelector(hook.objectSelector)
  const matches = (object: KubeObject | undefined) => object?.metadata !== undefined && selector.matches(object.metadata.labels ?? {})
  return matches(request.object) || matches(request.oldObject)
}
