import { semanticEqual } from '../../../machinery/equal.ts'
import { child, type FieldError, forbidden, index, invalid, key, required } from '../../../machinery/field-error.ts'
import { inRange } from '../../../machinery/names.ts'
import type { RulesContext } from '../../../machinery/resource/definition.ts'
import { alsoEmpty } from '../../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { APP_ARMOR } from '../../pod/app-armor.ts'
import { internalForm, internalPodSpec } from '../../pod/internal-form.ts'
import type { Container, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../pod/types.ts'
import { validatePodAnnotations } from '../../pod/validation/validate-template.ts'
import { jsonDifference } from '../../unified-diff.ts'
import { validateWholePod } from './pod-rules.ts'

const MIRROR = 'kubernetes.io/config.mirror'
const longestDeadline = 2_147_483_647
const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

/** Permitted changes of a pod: images, deadlines, additional tolerations; for gated pods, narrower scheduling constraints. */
export function validatePodUpdate(pod: Pod, old: Pod, context: RulesContext): FieldError[] {
  const spec: PodSpec = pod.spec ?? {}
  const before: PodSpec = old.spec ?? {}
  const faults = [...validateWholePod(pod, context), ...validateAnnotationUpdate(pod, old)]
  // The same spec by reference: nothing changed.
  if (pod.spec !== undefined && pod.spec === old.spec) return faults
  for (const field of ['containers', 'initContainers'] as const) {
    const now = spec[field] ?? []
    if (now.length !== (before[field] ?? []).length)
      return [...faults, forbidden(child('spec', field), 'pod updates may not add or remove containers')]
    faults.push(...validateImages(now, child('spec', field)))
  }
  const deadline = validateDeadline(spec.activeDeadlineSeconds, before.activeDeadlineSeconds)
  faults.push(...deadline)
  // A wrong deadline ends the validation, one that is gone does not.
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return faults
  faults.push(...validateAddedTolerations(spec.tolerations ?? [], before.tolerations ?? []))
  faults.push(...validateGateRemoval(spec, before))
  const gated = (before.schedulingGates ?? []).length > 0
  if (gated) faults.push(...validateNarrowing(spec, before))
  const munged = withoutChangeable(spec, before, gated)
  if (!semanticEqual(munged, before)) {
    const difference = jsonDifference(before, munged, internalPodSpec)
    faults.push(forbidden('spec', `pod updates may not change fields other than ${CHANGEABLE}\n${difference}`))
  }
  return faults
}

function validateImages(containers: readonly Container[], path: string): FieldError[] {
  return faultsOfEach(containers, (container, i) => {
    const at = child(index(path, i), 'image')
    const image = container.image ?? ''
    if (image === '') return [required(at)]
    return image.trim() === image ? [] : [invalid(at, image, 'must not have leading or trailing whitespace')]
  })
}

function validateDeadline(now: number | undefined, before: number | undefined): FieldError[] {
  const at = 'spec.activeDeadlineSeconds'
  if (now === undefined) return before === undefined ? [] : [invalid(at, null, 'must not update from a positive integer to nil value')]
  if (now < 0 || now > longestDeadline) return inRange(now, 0, longestDeadline).map((text) => invalid(at, now, text))
  return before !== undefined && before < now ? [invalid(at, now, 'must be less than or equal to previous value')] : []
}

function validateAddedTolerations(now: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const present = new Set(now.map(withoutSeconds))
  const kept = before.every((old) => present.has(withoutSeconds(old)))
  return kept ? [] : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
}

const withoutSeconds = ({ key = '', operator = '', value = '', effect = '' }: Toleration) => JSON.stringify([key, operator, value, effect])

function validateGateRemoval(spec: PodSpec, before: PodSpec): FieldError[] {
  const old = new Set((before.schedulingGates ?? []).map((g) => g.name))
  return faultsOfEach(spec.schedulingGates, (gate, i) =>
    old.has(gate.name)
      ? []
      : [
          forbidden(
            child(index('spec.schedulingGates', i), 'name'),
            `only deletion is allowed, but found new scheduling gate '${gate.name ?? ''}'`,
          ),
        ],
  )
}

function validateNarrowing(spec: PodSpec, before: PodSpec): FieldError[] {
  const faults: FieldError[] = []
  for (const [name, value] of Object.entries(before.nodeSelector ?? {}))
    if (spec.nodeSelector?.[name] !== value) {
      faults.push(
        invalid(
          'spec.nodeSelector',
          spec.nodeSelector ?? null,
          'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
        ),
      )
      break
    }
  return [...faults, ...validateTermsKept(requiredTerms(spec), requiredTerms(before))]
}

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'] as const
const requiredTerms = ({ affinity }: PodSpec) => affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms

/** Terms stay, in their order; each may get more requirements. */
function validateTermsKept(now: readonly NodeSelectorTerm[] = [], old: readonly NodeSelectorTerm[] = []): FieldError[] {
  const at = child('spec', ...REQUIRED, 'nodeSelectorTerms')
  const shown = (value: unknown) => internalForm(value, ...REQUIRED, 'nodeSelectorTerms')
  if (old.length > 0 && old.length !== now.length)
    return [invalid(at, now.length === 0 ? null : shown(now), 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')]
  return faultsOfEach(old, (was, i) => {
    const term = now[i] ?? {}
    return isNarrower(term, was) ? [] : [invalid(index(at, i), shown(term), 'only additions are allowed (no mutations or deletions)')]
  })
}

/** Requirements may only be appended. A term without requirements selects no node, and must stay so. */
function isNarrower(term: NodeSelectorTerm, was: NodeSelectorTerm): boolean {
  const fields = ['matchExpressions', 'matchFields'] as const
  if (fields.every((field) => !was[field]?.length)) return fields.every((field) => !term[field]?.length)
  return fields.every((field) => (was[field] ?? []).every((requirement, i) => semanticEqual(term[field]?.[i], requirement)))
}

/** The spec with all mutable fields restored. Any remaining difference is forbidden. */
function withoutChangeable(spec: PodSpec, before: PodSpec, gated: boolean): PodSpec {
  const munged: PodSpec = alsoEmpty({ ...spec }, spec)
  for (const field of ['containers', 'initContainers'] as const) {
    const list = spec[field]
    if (list)
      munged[field] = list.map((container, i) => {
        const image = before[field]?.[i]?.image
        return image === undefined ? container : alsoEmpty({ ...container, image }, container)
      })
  }
  keep(munged, before, 'activeDeadlineSeconds')
  keep(munged, before, 'tolerations')
  keep(munged, before, 'schedulingGates')
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1)
    keep(munged, before, 'terminationGracePeriodSeconds')
  if (!gated) return munged
  keep(munged, before, 'nodeSelector')
  const affinity = { ...munged.affinity }
  if (before.affinity?.nodeAffinity) affinity.nodeAffinity = before.affinity.nodeAffinity
  else delete affinity.nodeAffinity
  if (before.affinity || Object.keys(affinity).length > 0) munged.affinity = affinity
  else delete munged.affinity
  return munged
}

function keep<K extends keyof PodSpec>(munged: PodSpec, before: PodSpec, field: K): void {
  if (before[field] === undefined) delete munged[field]
  else munged[field] = before[field]
}

/** Annotations that apply when a pod starts are immutable; all are validated with them, as a change of the status alone needs it. */
export function validateAnnotationUpdate(pod: Pod, old: Pod): FieldError[] {
  const now = pod.metadata.annotations ?? {}
  const before = old.metadata.annotations ?? {}
  const path = 'metadata.annotations'
  const faults: FieldError[] = []
  for (const [name, value] of Object.entries(before)) {
    if (now[name] === value) continue
    if (name.startsWith(APP_ARMOR)) faults.push(forbidden(key(path, name), 'may not remove or update AppArmor annotations'))
    if (name === MIRROR) faults.push(forbidden(key(path, name), 'may not remove or update mirror pod annotation'))
  }
  for (const name of Object.keys(now)) {
    if (Object.hasOwn(before, name)) continue
    if (name.startsWith(APP_ARMOR)) faults.push(forbidden(key(path, name), 'may not add AppArmor annotations'))
    if (name === MIRROR) faults.push(forbidden(key(path, name), 'may not add mirror pod annotation'))
  }
  return [...faults, ...validatePodAnnotations(now, pod.spec ?? {}, path)]
}
