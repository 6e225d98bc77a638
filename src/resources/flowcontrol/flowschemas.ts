import { semanticEqual } from '../../machinery/equal.ts'
import { child, duplicateNamed, type FieldError, forbidden, index, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { each, invalidEach, repeats } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { builtinSchema } from '../schema.ts'
import { wholeMetadataKept } from '../status-meta.ts'
import type * as flowcontrol from '../types/flowcontrol.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type FlowSchema = UncheckedObject<flowcontrol.FlowSchema>
type Subject = Unchecked<flowcontrol.Subject>
type ResourceRule = Unchecked<flowcontrol.ResourcePolicyRule>
type NonResourceRule = Unchecked<flowcontrol.NonResourcePolicyRule>
type Rules = Unchecked<flowcontrol.PolicyRulesWithSubjects>

const schema = builtinSchema('flowcontrol.apiserver.k8s.io', 'v1', 'FlowSchema')
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
const group = (name: string) => ({ kind: 'Group', group: { name } })
/** The two mandatory schemas, which are immutable. */
const FIXED: Readonly<Record<string, object>> = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: [{ subjects: [group('system:masters')], ...EVERYTHING }],
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: [group('system:unauthenticated'), group('system:authenticated')], ...EVERYTHING }],
  },
}

const precedence = (schema: FlowSchema) => schema.spec?.matchingPrecedence ?? 0

export const flowSchemas = define<FlowSchema>({
  group: 'flowcontrol.apiserver.k8s.io',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  metadataChecks: 'whole',
  singular: 'flowschema',
  scope: 'Cluster',
  columns: [
    NAME,
    { name: 'PriorityLevel', describes: 'spec.priorityLevelConfiguration', cell: (o) => o.spec?.priorityLevelConfiguration?.name ?? '' },
    { name: 'MatchingPrecedence', describes: 'spec.matchingPrecedence', cell: precedence },
    {
      name: 'DistinguisherMethod',
      describes: 'spec.distinguisherMethod',
      cell: (o) => o.spec?.distinguisherMethod?.type ?? '<none>',
    },
    AGE,
    { name: 'MissingPL', description: 'Whether the priority level does not exist', cell: missingText },
  ],
  rowOrder: (a, b) => precedence(a) - precedence(b),
  rules: {
    generation: 'spec',
    defaults: (draft) => {
      draft.spec ??= {}
      draft.spec.matchingPrecedence ||= 1000
    },
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    validateCreate: validate,
    validateUpdate: validate,
  },
  subresources: {
    status: { kind: 'status', rules: { ...wholeMetadataKept, validateUpdate: (object) => validateTypes(object) } },
  },
})

function missingText(object: FlowSchema): string {
  const conditions = object.status?.conditions ?? []
  return conditions.find((c) => c.type === 'Dangling')?.status ?? '?'
}

type Conditioned = KubeObject<unknown, { conditions?: readonly { type?: string }[] }>

/** Condition types must be unique. */
export function validateTypes(object: Conditioned): FieldError[] {
  const conditions = object.status?.conditions ?? []
  const isRepeated = repeats()
  return faultsOfEach(conditions, (c, i) => {
    const at = child(index(child('status', 'conditions'), i), 'type')
    const type = c.type ?? ''
    return [...(isRepeated(type) ? [duplicateNamed(at, type)] : []), ...(type === '' ? [required(at)] : [])]
  })
}

function validate(object: FlowSchema): FieldError[] {
  const name = object.metadata.name ?? ''
  const spec = object.spec ?? {}
  const faults: FieldError[] = []
  const precedence = spec.matchingPrecedence ?? 0
  const at = child('spec', 'matchingPrecedence')
  if (precedence <= 0) faults.push(invalid(at, precedence, 'must be a positive value'))
  if (precedence > 10000) faults.push(invalid(at, precedence, 'must not be greater than 10000'))
  if (precedence === 1 && name !== 'exempt')
    faults.push(invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
  const method = spec.distinguisherMethod
  const methods = ['ByNamespace', 'ByUser']
  if (method && !methods.includes(method.type ?? ''))
    faults.push(notSupported(child('spec', 'distinguisherMethod', 'type'), { Type: method.type ?? '' }, methods))
  const level: string = spec.priorityLevelConfiguration?.name ?? ''
  const levelPath = child('spec', 'priorityLevelConfiguration', 'name')
  if (level === '') faults.push(required(levelPath, 'must reference a priority level'))
  else faults.push(...invalidEach(levelPath, level, dns1123Subdomain(level)))
  faults.push(...each<Rules>(spec.rules, child('spec', 'rules'), validateRules))
  const fixed = Object.hasOwn(FIXED, name) ? FIXED[name] : undefined
  if (fixed && !semanticEqual(spec, fixed))
    faults.push(invalid('spec', goForm(spec, fieldSchema(schema(), 'spec')), `spec of '${name}' must equal the fixed value`))
  return [...faults, ...validateTypes(object)]
}

function validateRules(rules: Rules, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!rules.subjects?.length) faults.push(required(child(path, 'subjects'), 'subjects must contain at least one value'))
  faults.push(...each(rules.subjects, child(path, 'subjects'), validateSubject))
  if (!rules.resourceRules?.length && !rules.nonResourceRules?.length)
    faults.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  return [
    ...faults,
    ...each(rules.resourceRules, child(path, 'resourceRules'), validateResourceRule),
    ...each(rules.nonResourceRules, child(path, 'nonResourceRules'), validateNonResourceRule),
  ]
}

const SUBJECTS = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const

function validateSubject(subject: Subject, path: string): FieldError[] {
  const kind = subject.kind ?? ''
  const names = Object.entries(SUBJECTS)
  if (!names.some(([k]) => k === kind)) return [notSupported(child(path, 'kind'), kind, ['Group', 'ServiceAccount', 'User'])]
  // What the kind requires comes before what it forbids.
  const ordered = names.toSorted(([a], [b]) => Number(b === kind) - Number(a === kind))
  return faultsOfEach(ordered, ([k, field]) => {
    const at = child(path, field)
    if (k !== kind) return subject[field] ? [forbidden(at, `${field} is forbidden when subject kind is not '${k}'`)] : []
    if (!subject[field]) return [required(at, `${field} is required when subject kind is '${k}'`)]
    if (field === 'serviceAccount') return validateServiceAccount(subject.serviceAccount ?? {}, at)
    return subject[field].name ? [] : [required(child(at, 'name'))]
  })
}

function validateServiceAccount(account: { name?: string; namespace?: string }, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!account.name) faults.push(required(child(path, 'name')))
  else if (account.name !== '*') faults.push(...invalidEach(child(path, 'name'), account.name, dns1123Subdomain(account.name)))
  if (account.namespace) faults.push(...invalidEach(child(path, 'namespace'), account.namespace, dns1123Label(account.namespace)))
  else faults.push(required(child(path, 'namespace'), 'must specify namespace for service account'))
  return faults
}

function validateVerbs(verbs: readonly string[], path: string): FieldError[] {
  if (verbs.length === 0) return [required(path, 'verbs must contain at least one value')]
  if (verbs.includes('*')) return verbs.length > 1 ? [invalid(path, verbs, "if '*' is present, must not specify other verbs")] : []
  return verbs.every((v) => VERBS.includes(v)) ? [] : [notSupported(path, verbs, VERBS)]
}

/** A list of names, or `*` alone. */
function validateNames(names: readonly string[], path: string, missing: string, what: string): FieldError[] {
  if (names.length === 0) return [required(path, missing)]
  return names.includes('*') && names.length > 1 ? [invalid(path, names, `if '*' is present, must not specify other ${what}`)] : []
}

function validateResourceRule(rule: ResourceRule, path: string): FieldError[] {
  const faults = validateVerbs(rule.verbs ?? [], child(path, 'verbs'))
  const supply = (what: string) => `resource rules must supply at least one ${what}`
  faults.push(...validateNames(rule.apiGroups ?? [], child(path, 'apiGroups'), supply('api group'), 'api groups'))
  faults.push(...validateNames(rule.resources ?? [], child(path, 'resources'), supply('resource'), 'resources'))
  const namespaces = rule.namespaces ?? []
  const at = child(path, 'namespaces')
  if (namespaces.length === 0 && !rule.clusterScope)
    faults.push(required(at, 'resource rules that are not cluster scoped must supply at least one namespace'))
  else if (namespaces.includes('*')) {
    if (namespaces.length > 1) faults.push(invalid(at, namespaces, "if '*' is present, must not specify other namespaces"))
  } else
    faults.push(
      ...faultsOfEach(namespaces, (name, i) => {
        const found: FieldError[] = []
        const texts = dns1123Label(name)
        if (texts.length > 0)
          found.push(invalid(index(at, i), name, `each member of this list must be '*' or a DNS-1123 label; ${texts.join(',')}`))
        return found
      }),
    )
  return faults
}

function validateNonResourceRule(rule: NonResourceRule, path: string): FieldError[] {
  const faults = validateVerbs(rule.verbs ?? [], child(path, 'verbs'))
  const urls = rule.nonResourceURLs ?? []
  const at = child(path, 'nonResourceURLs')
  faults.push(...validateNames(urls, at, 'nonResourceURLs must contain at least one value', 'non-resource URLs'))
  if (urls.includes('*')) return faults
  return [...faults, ...each(urls, at, validateUrl)]
}

function validateUrl(url: string, path: string): FieldError[] {
  if (url === '') return [invalid(path, url, 'must not be empty')]
  if (url === '/') return []
  if (!url.startsWith('/')) return [invalid(path, url, 'must start with slash')]
  if (url.includes(' ')) return [invalid(path, url, 'must not contain white-space')]
  if (url.includes('//')) return [invalid(path, url, 'must not contain double slash')]
  const stars = url.split('*').length - 1
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? [invalid(path, url, 'wildcard can only do suffix matching')] : []
}
