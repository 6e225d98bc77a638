import { ConfigurationFileError, notRegistered, readTypeMeta, readYaml } from '../../machinery/configuration-file.ts'
import { child, type FieldError, index, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { goDecode } from '../../machinery/go/go-decode.ts'
import { type GoType, goBool, goString, listOf, struct } from '../../machinery/go/go-type.ts'
import { dns1123Subdomain } from '../../machinery/names.ts'
import { isObject, type Json } from '../../machinery/object.ts'
import type { AuditPolicy, AuditRule, GroupResources } from './policy.ts'

/** Why a policy file cannot be used, in kube-apiserver's words. */
export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError'
  readonly code = 'bad-policy'
}

export interface ReadPolicy {
  readonly policy: AuditPolicy
  /** Unknown fields of the file; Kubernetes ignores them. */
  readonly unknown: readonly string[]
}

/**
 * Reads the text of a policy file (YAML or JSON).
 * @throws {AuditPolicyError}
 */
export function readAuditPolicy(text: string): ReadPolicy {
  try {
    return auditPolicyOf(readYaml(text).value, text)
  } catch (error) {
    throw error instanceof ConfigurationFileError ? new AuditPolicyError(`failed decoding: ${error.message}`) : error
  }
}

const STAGE: GoType = { kind: 'string', name: 'v1.Stage' }

const GROUP_RESOURCES = struct('v1.GroupResources', { group: goString, resources: listOf(goString), resourceNames: listOf(goString) })

const RULE = struct('v1.PolicyRule', {
  level: { kind: 'string', name: 'v1.Level' },
  users: listOf(goString),
  userGroups: listOf(goString),
  verbs: listOf(goString),
  resources: listOf(GROUP_RESOURCES),
  namespaces: listOf(goString),
  nonResourceURLs: listOf(goString),
  omitStages: listOf(STAGE),
  omitManagedFields: goBool,
})

const POLICY = struct('v1.Policy', {
  apiVersion: goString,
  kind: goString,
  metadata: { kind: 'any' },
  rules: listOf(RULE),
  omitStages: listOf(STAGE),
  omitManagedFields: goBool,
})

const VERSION = 'audit.k8s.io/v1'
/** The kind of a file that names none. */
const INTERNAL = { apiVersion: 'audit.k8s.io/__internal', kind: 'Policy' }
const OTHERS = new Set(['Event', 'EventList', 'PolicyList'])

function auditPolicyOf(document: Json, text: string): ReadPolicy {
  const { apiVersion, kind } = readTypeMeta(document, text, INTERNAL)
  if (apiVersion !== VERSION && apiVersion !== INTERNAL.apiVersion) throw notRegistered(kind, apiVersion, SCHEME)
  if (OTHERS.has(kind)) throw new ConfigurationFileError(`converting (v1.${kind}) to (audit.Policy): unknown conversion`)
  if (kind !== 'Policy') throw notRegistered(kind, apiVersion, SCHEME)
  if (apiVersion !== VERSION) throw new AuditPolicyError(`unknown group version field ${apiVersion}, Kind=${kind} in policy`)
  const { value, fault, unknown } = goDecode(document, POLICY)
  if (fault !== undefined) throw new ConfigurationFileError(fault)
  const policy = (isObject(value) ? value : {}) as Partial<AuditPolicy>
  const faults = policyFaults(policy).map(({ field, message }) => `${field}: ${message}`)
  if (faults.length > 0) throw new AuditPolicyError(faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`)
  const { rules = [] } = policy
  if (rules.length === 0) throw new AuditPolicyError('loaded illegal policy with 0 rules')
  return { policy: { ...policy, rules }, unknown }
}

const SCHEME = 'pkg/runtime/scheme.go:111'
const LEVELS: readonly string[] = ['None', 'Metadata', 'Request', 'RequestResponse']
const STAGES: readonly string[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']

const policyFaults = ({ rules = [], omitStages }: Partial<AuditPolicy>): FieldError[] => [
  ...stageFaults('omitStages', omitStages),
  ...rules.flatMap((rule, i) => ruleFaults(index('rules', i), rule)),
]

function ruleFaults(at: string, rule: Partial<AuditRule>): FieldError[] {
  const { level = '', nonResourceURLs = [], resources = [], namespaces = [] } = rule
  const faults: FieldError[] = []
  if (level === '') faults.push(required(child(at, 'level')))
  else if (!LEVELS.includes(level)) faults.push(notSupported(child(at, 'level'), level, LEVELS))
  const paths = child(at, 'nonResourceURLs')
  faults.push(...nonResourceURLs.flatMap((url, i) => pathFaults(index(paths, i), url)))
  faults.push(...resources.flatMap((r) => resourceFaults(child(at, 'resources'), r)))
  faults.push(...stageFaults(child(at, 'omitStages'), rule.omitStages))
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0))
    faults.push(invalid(paths, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'))
  return faults
}

function pathFaults(at: string, url: string): FieldError[] {
  if (url === '*') return []
  const faults: FieldError[] = []
  if (!url.startsWith('/')) faults.push(invalid(at, url, "non-resource URL rules must begin with a '/' character"))
  if (url.slice(0, -1).includes('*'))
    faults.push(invalid(at, url, "non-resource URL wildcards '*' must be the final character of the rule"))
  return faults
}

function resourceFaults(at: string, { group = '', resources = [], resourceNames = [] }: GroupResources): FieldError[] {
  const faults: FieldError[] = []
  const wrong = group === '' || group === '*' ? [] : dns1123Subdomain(group)
  if (wrong.length > 0) faults.push(invalid(child(at, 'group'), group, wrong.join(',')))
  if (resourceNames.length > 0 && resources.length === 0)
    faults.push(invalid(child(at, 'resourceNames'), resourceNames, 'using resourceNames requires at least one resource'))
  return faults
}

const stageFaults = (at: string, stages: readonly string[] = []): FieldError[] =>
  stages.flatMap((stage, i) => (STAGES.includes(stage) ? [] : [invalid(index(at, i), stage, `allowed stages are ${STAGES.join(',')}`)]))
