import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { type FieldError, faultText, required } from '../../../machinery/field-error.ts'
import { goString, listOf, struct } from '../../../machinery/go/go-type.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { matchesScope, type ScopeRequirement, scopesOf } from '../../../resources/quota/scopes.ts'
import type { Usage } from '../../../resources/quota/usage.ts'
import type { ResourceQuota } from '../../../resources/types/core.ts'
import { decodePluginConfiguration, PluginConfigurationError } from '../configuration/plugin-configuration.ts'

/** A resource that requires a quota. */
export interface LimitedResource {
  readonly apiGroup?: string
  readonly resource?: string
  /** Substrings of the resource names that are limited. */
  readonly matchContains?: readonly string[]
  readonly matchScopes?: readonly ScopeRequirement[]
}

const LIMITED = (version: string) =>
  listOf(
    struct(`${version}.LimitedResource`, {
      apiGroup: goString,
      resource: goString,
      matchContains: listOf(goString),
      matchScopes: listOf(
        struct('v1.ScopedResourceSelectorRequirement', { scopeName: goString, operator: goString, values: listOf(goString) }),
      ),
    }),
  )

const OLD_GROUP = 'resourcequota.admission.k8s.io'

/** Parses the configuration of the plugin ResourceQuota. @throws {PluginConfigurationError} */
export function readLimitedResources(text: string | undefined): readonly LimitedResource[] {
  if (text === undefined) return []
  const old = text.includes(OLD_GROUP)
  const { limitedResources = [] } = decodePluginConfiguration(text, {
    group: old ? OLD_GROUP : 'apiserver.config.k8s.io',
    versions: old ? ['v1beta1', 'v1alpha1'] : ['v1'],
    kind: old ? 'Configuration' : 'ResourceQuotaConfiguration',
    type: (version) => struct(`${version}.Configuration`, { limitedResources: LIMITED(version) }),
    strict: true,
  }) as { limitedResources?: readonly LimitedResource[] }
  const faults = limitedResources.flatMap(({ resource }, i): FieldError[] =>
    resource ? [] : [required(`limitedResources[${i}].resource`)],
  )
  if (faults.length > 0) throw new PluginConfigurationError(joinErrors(faults.map(faultText)))
  return limitedResources
}

/** The used resources that require a quota, sorted. */
export function limitedNames(
  limited: readonly LimitedResource[],
  { group, resource }: AdmissionRequest['resource'],
  usage: Usage,
): string[] {
  const parts = limited.filter((l) => (l.apiGroup ?? '') === group && l.resource === resource).flatMap((l) => l.matchContains ?? [])
  return [...usage].flatMap(([name, value]) => (value.sign() > 0 && parts.some((part) => name.includes(part)) ? [name] : [])).sort()
}

/** The limited scopes of the object that no quota of the namespace covers, as Go prints them; `''` if there are none. */
export function uncoveredScopes(
  limited: readonly LimitedResource[],
  quotas: readonly ResourceQuota[],
  resource: string,
  object: KubeObject,
): string {
  const inside = (scopes: readonly ScopeRequirement[]) => scopes.filter((scope) => matchesScope(scope, resource, object))
  const covered = new Set(quotas.flatMap((quota) => inside(scopesOf(quota))).map((scope) => scope.scopeName))
  const uncovered = limited.flatMap((l) => inside(l.matchScopes ?? [])).filter((scope) => !covered.has(scope.scopeName))
  if (uncovered.length === 0) return ''
  return `[${uncovered.map(({ scopeName = '', operator = '', values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`).join(' ')}]`
}
