import { semanticEqual } from '../../../machinery/equal.ts'
import { child, type FieldError, forbidden, index, invalidNamed } from '../../../machinery/field-error.ts'
import { ipWarnings } from '../../../machinery/ip-address.ts'
import type { ResourceRules, RulesContext } from '../../../machinery/resource/definition.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { dropGatedFields } from '../../pod/gated-fields.ts'
import { internalForm } from '../../pod/internal-form.ts'
import { qosClass } from '../../pod/qos.ts'
import type { Container, Pod, PodSpec, PodStatus, ResourceList } from '../../pod/types.ts'
import { jsonDifference } from '../../unified-diff.ts'
import { isMirror, validateWholePod } from './pod-rules.ts'
import { validateStatus } from './pod-status.ts'
import { validateAnnotationUpdate } from './pod-update.ts'

// Kubernetes' path of the object itself in these messages.
const WHOLE = '[]'

/** The rules of the status subresource. */
export const statusRules: Partial<ResourceRules<Pod>> = {
  resetFields: { status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']] },
  prepareForUpdate: (draft, old, { gates }) => {
    draft.status ??= {}
    const isKept = gates?.has('DRANodeAllocatableResources') === true || old.status?.nodeAllocatableResourceClaimStatuses !== undefined
    if (!isKept) delete draft.status.nodeAllocatableResourceClaimStatuses
    const qosClass = draft.status.qosClass || old.status?.qosClass
    if (qosClass) draft.status.qosClass = qosClass
    delete draft.metadata.deletionTimestamp
    if (old.metadata.ownerReferences) draft.metadata.ownerReferences = old.metadata.ownerReferences
    else delete draft.metadata.ownerReferences
    keepObservedGenerations(draft.status, old.status ?? {})
  },
  validateUpdate: (pod, old) => [...validateAnnotationUpdate(pod, old), ...validateStatus(pod, old)],
  warnings: (pod) =>
    (['podIPs', 'hostIPs'] as const).flatMap((field) => {
      const addresses = pod.status?.[field] ?? []
      return addresses.flatMap(({ ip = '' }, i) => ipWarnings(`status.${field}[${i}].ip`, ip))
    }),
}

/** What a client leaves out of the observed generations stays as it was, of conditions by their type and order. */
function keepObservedGenerations(status: PodStatus, old: PodStatus): void {
  if (!status.observedGeneration && old.observedGeneration) status.observedGeneration = old.observedGeneration
  const before = Map.groupBy(old.conditions ?? [], (condition) => condition.type)
  if (status.conditions === undefined) return
  status.conditions = status.conditions.map((condition) => {
    const kept = before.get(condition.type)?.shift()?.observedGeneration
    return condition.observedGeneration || !kept ? condition : { ...condition, observedGeneration: kept }
  })
}

/** The rules of the ephemeralcontainers subresource. */
export const ephemeralContainersRules: Partial<ResourceRules<Pod>> = {
  metadataChecks: 'as-update',
  prepareForUpdate(draft, old, context) {
    onlySpec(draft, old, (spec, before) => withField(before, 'ephemeralContainers', spec.ephemeralContainers))
    dropGatedFields(draft.spec ?? {}, old.spec, context)
  },
  validateUpdate: (pod, old, context) => {
    if (isMirror(old)) return [forbidden(WHOLE, 'static pods do not support ephemeral containers')]
    const faults = [...validateWholePod(pod, context), ...validateAnnotationUpdate(pod, old)]
    const now = byName(pod.spec?.ephemeralContainers)
    return [
      ...faults,
      ...faultsOfEach(old.spec?.ephemeralContainers, (before) => {
        const found: FieldError[] = []
        const same = now.get(before.name)
        const name = JSON.stringify(before.name ?? '')
        if (!same) found.push(forbidden('spec.ephemeralContainers', `existing ephemeral containers ${name} may not be removed\n`))
        else if (!semanticEqual(same, before)) {
          const difference = jsonDifference(before, same, (container) => internalForm(container, 'ephemeralContainers'))
          found.push(forbidden('spec.ephemeralContainers', `existing ephemeral containers ${name} may not be changed\n${difference}`))
        }
        return found
      }),
    ]
  },
  warnings: () => [],
}

/** The containers by their names; of those with the same name, the first. */
const byName = (containers: readonly Container[] = []): ReadonlyMap<string | undefined, Container> =>
  new Map(containers.toReversed().map((container) => [container.name, container]))

/** The rules of the resize subresource. */
export const resizeRules: Partial<ResourceRules<Pod>> = {
  metadataChecks: 'also-whole',
  prepareForUpdate: (draft, old) => {
    // Where containers are added or removed, Kubernetes validates the pod as it was sent.
    if (CONTAINERS.every((field) => countOf(draft, field) === countOf(old, field))) onlySpec(draft, old, resized)
  },
  validateUpdate: validateResize,
  warnings: () => [],
}

/** Restores everything except one part of the spec. */
function onlySpec(draft: Pod, old: Pod, part: (spec: PodSpec, before: PodSpec) => PodSpec): void {
  const { metadata } = draft
  const kept = { ...old.metadata, name: metadata.name ?? '', resourceVersion: metadata.resourceVersion ?? '' }
  if (metadata.uid) kept.uid = metadata.uid
  if (metadata.managedFields) kept.managedFields = metadata.managedFields
  draft.spec = part(draft.spec ?? {}, old.spec ?? {})
  draft.metadata = kept
  if (old.status) draft.status = old.status
}

function withField<K extends keyof PodSpec>(spec: PodSpec, field: K, value: PodSpec[K]): PodSpec {
  const { [field]: _old, ...rest } = spec
  return value === undefined ? rest : { ...rest, [field]: value }
}

const CONTAINERS = ['containers', 'initContainers'] as const

const countOf = ({ spec }: Pod, field: (typeof CONTAINERS)[number]): number => spec?.[field]?.length ?? 0

/** Validation reports containers that were renamed or reordered. */
function resized(spec: PodSpec, before: PodSpec): PodSpec {
  let out: PodSpec = { ...before }
  for (const field of CONTAINERS) {
    const known = before[field]
    out = withField(
      out,
      field,
      spec[field]?.map((container, i) => resizedContainer(container, known?.[i])),
    )
  }
  return spec.resources ? withField(out, 'resources', spec.resources) : out
}

function resizedContainer(container: Container, old: Container | undefined): Container {
  if (old === undefined || old.name !== container.name) return container
  const { resources: _r, resizePolicy: _p, ...rest } = old
  return {
    ...rest,
    ...(container.resources && { resources: container.resources }),
    ...(container.resizePolicy && { resizePolicy: container.resizePolicy }),
  }
}

function validateSameContainers(spec: PodSpec, before: PodSpec, field: 'containers' | 'initContainers'): FieldError[] {
  const known = before[field] ?? []
  const path = child('spec', field)
  if ((spec[field] ?? []).length !== known.length) return [forbidden(path, `${field} may not be added or removed on resize`)]
  return faultsOfEach(spec[field], ({ name }, i) =>
    name === known[i]?.name ? [] : [forbidden(child(index(path, i), 'name'), `${field} may not be renamed or reordered on resize`)],
  )
}

function validateResize(pod: Pod, old: Pod, context: RulesContext): FieldError[] {
  if (isMirror(old)) return [forbidden(WHOLE, 'static pods cannot be resized')]
  const spec: PodSpec = pod.spec ?? {}
  const before: PodSpec = old.spec ?? {}
  if (before.os?.name === 'windows') return [forbidden(WHOLE, 'windows pods cannot be resized')]
  const faults = validateWholePod(pod, context)
  if (qosClass(spec) !== qosClass(before))
    faults.push(invalidNamed('spec', pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'))
  if (!nodeCanResize(old)) faults.push(forbidden('spec', 'Pod running on node without support for resize'))
  const others = [...validateSameContainers(spec, before, 'containers'), ...validateSameContainers(spec, before, 'initContainers')]
  if (others.length > 0) return [...faults, ...others]
  for (const field of CONTAINERS)
    faults.push(
      ...faultsOfEach(spec[field], (container, i) =>
        validateNothingRemoved(container, before[field]?.[i], child(index(child('spec', field), i), 'resources')),
      ),
    )
  const reset = withoutComputeResources(spec, before)
  faults.push(...faultsOfEach(reset.containers, (container, i) => (semanticEqual(container, before.containers?.[i]) ? [] : [ONLY_COMPUTE])))
  faults.push(...faultsOfEach(reset.initContainers, (container, i) => validateInitResize(spec, before, { container, index: i })))
  return faults.length > 0 || semanticEqual(reset, before) ? faults : [ONLY_COMPUTE]
}

const ONLY_COMPUTE = forbidden('spec', 'only cpu and memory resources are mutable')

/** `container` has the compute resources of before. */
function validateInitResize(
  spec: PodSpec,
  before: PodSpec,
  { container, index: i }: { container: Container; index: number },
): FieldError[] {
  const path = index('spec.initContainers', i)
  const old = before.initContainers?.[i]
  const faults: FieldError[] = []
  if (!semanticEqual(container, old))
    faults.push(forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable'))
  const isModified = container.restartPolicy !== 'Always' && !semanticEqual(spec.initContainers?.[i], old)
  const restarts = (container.resizePolicy ?? []).filter(({ restartPolicy }) => isModified && restartPolicy === 'RestartContainer')
  const refusal = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'
  return [...faults, ...restarts.map(() => forbidden(path, refusal))]
}

/** A node that can resize reports the resources of running containers. */
function nodeCanResize(pod: Pod): boolean {
  const statuses = pod.status?.containerStatuses ?? []
  const running = statuses.find((status) => status.state?.running !== undefined)
  return running === undefined || running.resources !== undefined
}

function validateNothingRemoved(now: Container, before: Container | undefined, path: string): FieldError[] {
  return (['requests', 'limits'] as const)
    .filter((field) => Object.keys(before?.resources?.[field] ?? {}).some((name) => now.resources?.[field]?.[name] === undefined))
    .map((field) => forbidden(child(path, field), `resource ${field} cannot be removed`))
}

const COMPUTE = ['cpu', 'memory']

function withoutComputeResources(spec: PodSpec, before: PodSpec): PodSpec {
  let out = { ...spec }
  for (const field of CONTAINERS) {
    const list = spec[field]?.map((container, i) => {
      const old = before[field]?.[i]
      const resources = { ...container.resources }
      for (const kind of ['limits', 'requests'] as const) {
        const munged: ResourceList = { ...resources[kind] }
        for (const name of COMPUTE) {
          const value = old?.resources?.[kind]?.[name]
          if (value === undefined) delete munged[name]
          else munged[name] = value
        }
        if (Object.keys(munged).length > 0) resources[kind] = munged
        else delete resources[kind]
      }
      return { ...container, resources }
    })
    if (list) out = withField(out, field, list)
  }
  return withField(out, 'resources', before.resources)
}
