import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { listObjects, readObject } from '../../../resources/read-objects.ts'
import { PODS, PRIORITY_CLASSES } from '../../../resources/refs.ts'
import type { Pod } from '../../../resources/types/core.ts'
import type { PriorityClass } from '../../../resources/types/scheduling.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { isAbout, isWrite } from '../requests-about.ts'

const SYSTEM_CLASSES = new Set(['system-cluster-critical', 'system-node-critical'])
const DEFAULT_POLICY = 'PreemptLowerPriority'

/** Resolves a pod's priority class to its priority; allows one default class at most. */
export function priority({ reader }: AdmissionDeps): AdmissionPlugin {
  /** Of several defaults (created at the same time) the one with the lowest value counts. */
  const defaultClass = (): PriorityClass | undefined =>
    listObjects(reader, PRIORITY_CLASSES)
      .filter((c) => c.globalDefault === true)
      .reduce<PriorityClass | undefined>((least, c) => (least === undefined || (c.value ?? 0) < (least.value ?? 0) ? c : least), undefined)
  const compute = (request: AdmissionRequest<Pod>) => {
    if (request.object === undefined) return
    const { spec } = request.object
    if (request.operation === 'UPDATE') {
      // The values of the creation are kept; validation refuses every other change.
      const { priority, preemptionPolicy } = request.oldObject?.spec ?? {}
      if (priority !== undefined) spec.priority ??= priority
      if (preemptionPolicy !== undefined) spec.preemptionPolicy ??= preemptionPolicy
      return
    }
    let chosen: PriorityClass | undefined
    if (!spec.priorityClassName) {
      chosen = defaultClass()
      if (chosen?.metadata.name !== undefined) spec.priorityClassName = chosen.metadata.name
    } else {
      chosen = readObject(reader, PRIORITY_CLASSES, '', spec.priorityClassName)
      if (chosen === undefined) throw refusal(request, `no PriorityClass with name ${spec.priorityClassName} was found`)
    }
    const value = chosen?.value ?? 0
    const policy = chosen?.preemptionPolicy ?? DEFAULT_POLICY
    if (spec.priority !== undefined && spec.priority !== null && spec.priority !== value) {
      throw refusal(
        request,
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      )
    }
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== null && spec.preemptionPolicy !== policy) {
      throw refusal(
        request,
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
      )
    }
    spec.priority = value
    spec.preemptionPolicy = policy
  }
  return {
    name: 'Priority',
    handles: (r) =>
      (r.operation === 'DELETE' && isAbout(r, PRIORITY_CLASSES) && SYSTEM_CLASSES.has(r.name)) ||
      (isWrite(r) && (isAbout(r, PODS) || isAbout(r, PRIORITY_CLASSES))),
    mutate(request) {
      if (isAbout(request, PODS)) compute(request)
    },
    validate(request) {
      if (request.operation === 'DELETE') throw refusal(request, 'this is a system priority class and cannot be deleted')
      if (!isAbout(request, PRIORITY_CLASSES) || request.object?.globalDefault !== true) return
      const { object } = request
      const present = defaultClass()
      if (present === undefined || (request.operation === 'UPDATE' && present.metadata.name === object.metadata.name)) return
      throw refusal(request, `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`)
    },
  }
}
