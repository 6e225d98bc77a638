import { timestamp } from '../../../base/clock.ts'
import { child, type FieldError, forbidden, index } from '../../../machinery/field-error.ts'
import type { RulesContext } from '../../../machinery/resource/definition.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { takeAppArmorAnnotations } from '../../pod/app-armor.ts'
import { qosClass } from '../../pod/qos.ts'
import type { Pod, PodRules, PodSpec } from '../../pod/types.ts'
import { validateImageSpaces } from '../../pod/validation/validate-containers.ts'
import { placedContainers } from '../../pod/validation/validate-host-access.ts'
import { validatePodSpec } from '../../pod/validation/validate-spec.ts'
import { validatePodAnnotations, validateProfilesAgree } from '../../pod/validation/validate-template.ts'
import type { LabelSelector } from '../../types/meta.ts'
import type { Unchecked } from '../../unchecked.ts'

/** The parts of a request's context that the rules of a pod use. */
export type PodContext = Pick<RulesContext, 'allowPrivileged'>

export const podRules = (context: PodContext): PodRules => ({ allowPrivileged: context.allowPrivileged ?? false })

/** A mirror pod shows a static pod of a node. */
export const isMirror = (pod: Pod): boolean => Object.hasOwn(pod.metadata.annotations ?? {}, 'kubernetes.io/config.mirror')

/** The server's fields of a new pod. */
export function preparePod(draft: Pod, context: RulesContext): void {
  const spec: PodSpec = draft.spec ?? {}
  draft.status = { phase: 'Pending', qosClass: qosClass(spec) }
  if ((spec.schedulingGates ?? []).length > 0)
    draft.status.conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: timestamp(context.now),
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ]
  narrowSelectors(spec, draft.metadata.labels ?? {})
  takeAppArmorAnnotations(draft, context.warn)
}

/** Validates a whole pod, created or changed. */
export function validateWholePod(pod: Pod, context: PodContext): FieldError[] {
  const spec: PodSpec = pod.spec ?? {}
  const annotations = validatePodAnnotations(pod.metadata.annotations, spec, 'metadata.annotations')
  const sound = context.allowPrivileged === true ? soundIfPrivileged : soundInAny
  const name = nameThatMatters(pod, spec)
  if (sound.get(spec) === name && !isMirror(pod)) return annotations
  const faults = [
    ...validatePodSpec(spec, 'spec', podRules(context), { name: pod.metadata.name ?? '', isMirror: isMirror(pod) }),
    ...validateTokensHaveAccount(spec),
    ...placedContainers({ containers: spec.containers ?? [], initContainers: spec.initContainers ?? [] }, 'spec').flatMap(
      ({ container, path }) => validateImageSpaces(container, path),
    ),
  ]
  if (faults.length === 0) sound.set(spec, name)
  return [...annotations, ...faults]
}

/**
 * Validated specs, with the pod's name if that matters: most updates of a pod leave the very same spec in place, and pods of one template
 * share one. Specs are not changed after validation.
 */
const soundInAny = new WeakMap<PodSpec, string>()
/** The same with privileged containers permitted. */
const soundIfPrivileged = new WeakMap<PodSpec, string>()

/** Claims of ephemeral volumes are named after their pod. */
const nameThatMatters = (pod: Pod, { volumes = [] }: PodSpec): string =>
  (volumes ?? []).some((volume) => volume.ephemeral !== undefined) ? (pod.metadata.name ?? '') : ''

export function validatePod(pod: Pod, context: PodContext): FieldError[] {
  const spec: PodSpec = pod.spec ?? {}
  const faults = validateWholePod(pod, context)
  if ((spec.ephemeralContainers ?? []).length > 0) faults.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'))
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0)
    faults.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
  return [...faults, ...validateProfilesAgree(pod.metadata.annotations, spec, 'spec')]
}

/** A pod without a node is deleted at once; others get the requested grace period. */
export function gracePeriod(pod: Pod, wanted: number | undefined): number {
  const spec: PodSpec = pod.spec ?? {}
  let grace = wanted ?? spec.terminationGracePeriodSeconds ?? 0
  if (!spec.nodeName || pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') grace = 0
  return grace < 0 ? 1 : grace
}

/** A projected token requires a service account. */
function validateTokensHaveAccount(spec: PodSpec): FieldError[] {
  if (spec.serviceAccountName) return []
  return faultsOfEach(spec.volumes, (volume, v) =>
    faultsOfEach(volume.projected?.sources, (source, s) =>
      source.serviceAccountToken
        ? [
            forbidden(
              child(index(child(index('spec.volumes', v), 'projected', 'sources'), s), 'serviceAccountToken'),
              'must not be specified when serviceAccountName is not set',
            ),
          ]
        : [],
    ),
  )
}

/** Merges `matchLabelKeys` into their selectors, with the present labels of the pod. */
function narrowSelectors(spec: PodSpec, labels: Readonly<Record<string, string>>): void {
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const affinity = spec.affinity?.[kind]
    const terms = [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((p) => p.podAffinityTerm),
    ]
    for (const term of terms) {
      narrow(term?.labelSelector, term?.matchLabelKeys, labels, 'In')
      narrow(term?.labelSelector, term?.mismatchLabelKeys, labels, 'NotIn')
    }
  }
  for (const constraint of spec.topologySpreadConstraints ?? []) narrow(constraint.labelSelector, constraint.matchLabelKeys, labels, 'In')
}

function narrow(
  selector: Unchecked<LabelSelector> | undefined,
  keys: readonly string[] | undefined,
  labels: Readonly<Record<string, string>>,
  operator: string,
): void {
  if (!selector) return
  for (const key of keys ?? []) {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined
    if (value === undefined) continue
    selector.matchExpressions ??= []
    selector.matchExpressions.push({ key, operator, values: [value] })
  }
}
