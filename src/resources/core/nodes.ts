import { semanticEqual } from '../../machinery/equal.ts'
import { child, duplicate, type FieldError, forbidden, index, internalFault, invalid } from '../../machinery/field-error.ts'
import { isIpv4, parseCidr } from '../../machinery/ip-address.ts'
import { labelValue } from '../../machinery/names.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelName } from '../../machinery/validation/object-meta.ts'
import { validateCidr } from '../checks.ts'
import { define } from '../define.ts'
import { roundResources } from '../pod/defaults.ts'
import { isExtendedResource, isIntegerResource } from '../pod/resource-names.ts'
import { eachQuantity, isWhole } from '../pod/validation/validate-resources.ts'
import { validateTaintEffect } from '../pod/validation/validate-scheduling.ts'
import type * as core from '../types/core.ts'
import type { Unchecked } from '../unchecked.ts'
import { proxyOptions } from './connect-options.ts'
import { NODE_COLUMNS, type Node } from './node-columns.ts'

export const nodes = define<Node>({
  group: '',
  kind: 'Node',
  plural: 'nodes',
  singular: 'node',
  shortNames: ['no'],
  scope: 'Cluster',
  columns: NODE_COLUMNS,
  selectableFields: { 'spec.unschedulable': (node) => String(node.spec?.unschedulable ?? false) },
  rules: {
    defaults: defaultNode,
    statusFields: ['status'],
    prepareForUpdate: (draft, old) => {
      if (old.spec?.configSource && draft.spec) draft.spec.configSource = old.spec.configSource
      else if (draft.spec) delete draft.spec.configSource
    },
    prepareForCreate: (draft) => {
      if (draft.spec) delete draft.spec.configSource
      if (draft.status) delete draft.status.config
    },
    warnings: fieldWarnings,
    validateCreate: (node) => [...validateNode(node), ...validatePodCidrs(node)],
    // Kubernetes reports faults of taints twice.
    validateUpdate: (node, old) => [
      ...validateNode(node),
      ...validateTaints(node.spec?.taints ?? [], 'metadata.taints'),
      ...validateNodeUpdate(node, old),
    ],
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        metadataChecks: 'as-update',
        prepareForUpdate: (draft, old) => {
          if (draft.status && !old.status?.config) delete draft.status.config
        },
        warnings: () => [],
      },
    },
    proxy: {
      kind: 'connect',
      connector: 'nodeProxy',
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      input: { group: '', version: 'v1', kind: 'NodeProxyOptions' },
      options: proxyOptions,
    },
  },
})

type Taint = Unchecked<core.Taint>

function fieldWarnings(node: Node): string[] {
  const warnings: string[] = []
  if (node.spec?.configSource) warnings.push('spec.configSource: the feature is removed')
  if (node.spec?.externalID) warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes')
  return warnings
}

function defaultNode(draft: Node): void {
  draft.spec ??= {}
  draft.status ??= {}
  const { spec, status } = draft
  // The older field holds the first address range; the newer one holds all.
  const first = spec.podCIDRs?.[0]
  if (spec.podCIDR && first !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR]
  else if (first !== undefined) spec.podCIDR = first
  roundResources(status.capacity)
  roundResources(status.allocatable)
  if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity }
}

function validateNode(node: Node): FieldError[] {
  const taints: Taint[] = node.spec?.taints ?? []
  const faults = validateTaints(taints, 'metadata.taints')
  for (const field of ['capacity', 'allocatable'] as const)
    faults.push(...validateNodeResources(node.status?.[field], child('status', field)))
  return [...faults, ...validateDeclaredFeatures(node.status?.declaredFeatures ?? [])]
}

const LONGEST_FEATURE = 253
const FEATURE_FORM =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
const FEATURE = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z0-9]+)*$/

/** Names of declared features must be sorted. */
function validateDeclaredFeatures(features: readonly string[]): FieldError[] {
  return faultsOfEach(features, (name, i) => {
    const at = index('status.declaredFeatures', i)
    const previous = i === 0 ? undefined : features[i - 1]
    const faults: FieldError[] = []
    if (previous !== undefined && name < previous) faults.push(invalid(at, name, 'list must be sorted alphabetically'))
    if (name === previous) faults.push(duplicate(at, name))
    // The form of a name that is too long is not looked at.
    const wrong =
      name.length > LONGEST_FEATURE ? `must be no more than ${LONGEST_FEATURE} characters` : FEATURE.test(name) ? '' : FEATURE_FORM
    if (wrong !== '') faults.push(invalid(at, name, `invalid feature name ${JSON.stringify(name)}: ${wrong}`))
    return faults
  })
}

function validateTaints(taints: readonly Taint[], path: string): FieldError[] {
  const seen = new Set<string>()
  return faultsOfEach(taints, (taint, i) => {
    const at = index(path, i)
    const faults = validateLabelName(taint.key ?? '', child(at, 'key'))
    const texts = labelValue(taint.value ?? '')
    if (texts.length > 0) faults.push(invalid(child(at, 'value'), taint.value ?? '', texts.join(';')))
    faults.push(...validateTaintEffect(taint.effect ?? '', child(at, 'effect')))
    const id = `${taint.key ?? ''}\n${taint.effect ?? ''}`
    if (seen.has(id)) {
      const duplicated = duplicate(at, { Key: taint.key ?? '', Value: taint.value ?? '', Effect: taint.effect ?? '', TimeAdded: null })
      faults.push({ ...duplicated, message: `${duplicated.message}: taints must be unique by key and effect pair` })
    }
    seen.add(id)
    return faults
  })
}

/** Countable resources are integers, and no quantity is negative. */
function validateNodeResources(list: Record<string, string> | undefined, path: string): FieldError[] {
  return eachQuantity(list, (name, quantity) => {
    const at = child(path, name)
    const faults: FieldError[] = []
    if (quantity.sign() < 0) faults.push(invalid(at, quantity.toString(), 'must be greater than or equal to 0'))
    if ((isIntegerResource(name) || isExtendedResource(name)) && !isWhole(quantity))
      faults.push(invalid(at, quantity.toString(), 'must be an integer'))
    return faults
  })
}

function validatePodCidrs(node: Node): FieldError[] {
  const cidrs: string[] = node.spec?.podCIDRs ?? []
  const faults = faultsOfEach(cidrs, (text, i) => validateCidr(text, index('spec.podCIDRs', i)))
  if (cidrs.length < 2) return faults
  const broken = cidrs.findIndex((text) => parseCidr(text) === undefined)
  if (broken !== -1) {
    const why = `invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${cidrs[broken] ?? ''})`
    faults.push(internalFault('spec.podCIDRs', `invalid PodCIDRs. failed to check with dual stack with error:${why}`))
    faults.push(invalid('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family'))
    return faults
  }
  const families = new Set(cidrs.map((text) => isIpv4((parseCidr(text) ?? { address: { bytes: [], standard: true } }).address)))
  if (cidrs.length > 2 || families.size !== 2)
    faults.push(invalid('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family'))
  return faults
}

function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  const faults: FieldError[] = []
  const now: string[] = node.spec?.podCIDRs ?? []
  const before: string[] = old.spec?.podCIDRs ?? []
  if (before.length > 0 && !semanticEqual(now, before))
    faults.push(forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'))
  faults.push(...validatePodCidrs(node))
  if (old.spec?.providerID && node.spec?.providerID !== old.spec.providerID)
    faults.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'))
  if ((node.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) faults.push(forbidden('spec.externalID', 'may not be updated'))
  const addresses = node.status?.addresses ?? []
  const seen = new Set<string>()
  return [
    ...faults,
    ...faultsOfEach(addresses, (address, i) => {
      const found: FieldError[] = []
      const id = `${address.type}\n${address.address}`
      if (seen.has(id)) found.push(duplicate(index('status.addresses', i), { Type: address.type ?? '', Address: address.address ?? '' }))
      seen.add(id)
      return found
    }),
  ]
}
