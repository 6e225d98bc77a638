import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import type { MatchResources, NamedRuleWithOperations } from '../../../resources/types/admissionregistration.ts'
import { type Match, type MatchDeps, namespaceMatches, objectMatches, ruleMatches } from '../webhook/match-webhook.ts'

/** Whether a policy or binding matches the request, and in which version of the resource; without rules it matches every resource. */
export function matchResources(match: MatchResources, request: AdmissionRequest, deps: MatchDeps): Match | undefined {
  if (matchRules(match.excludeResourceRules ?? [], match, request, deps) !== undefined) return undefined
  const rules = match.resourceRules ?? []
  const found = rules.length === 0 ? { version: request.resource.version } : matchRules(rules, match, request, deps)
  if (found === undefined) return undefined
  return namespaceMatches(match, request, deps.reader) && objectMatches(match, request) ? found : undefined
}

function matchRules(
  rules: readonly NamedRuleWithOperations[],
  match: MatchResources,
  request: AdmissionRequest,
  deps: MatchDeps,
): Match | undefined {
  if (rules.length === 0) return undefined
  const { group, version, resource } = request.resource
  const wants = (v: string) => rules.some((rule) => nameMatches(rule, request) && ruleMatches(rule, request, v))
  if (wants(version)) return { version }
  if (match.matchPolicy === 'Exact') return undefined
  const other = deps.definitions.get(group, resource)?.versions.find((v) => v.served && v.version !== version && wants(v.version))
  return other && { version: other.version }
}

const nameMatches = (rule: NamedRuleWithOperations, request: AdmissionRequest) =>
  rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(request.name)
