import { child, type FieldError, forbidden, invalid, key } from '../../../machinery/field-error.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateAnnotations, validateLabels } from '../../../machinery/validation/object-meta.ts'
import { APP_ARMOR, appArmorOf } from '../app-armor.ts'
import { allContainers } from '../defaults.ts'
import { CONTAINER_SECCOMP, POD_SECCOMP } from '../seccomp-annotations.ts'
import type { PodRules, PodSpec, PodTemplateSpec, SeccompProfile } from '../types.ts'
import { placedContainers } from './validate-host-access.ts'
import { validateLocalDescendingPath } from './validate-paths.ts'
import { validatePodSpec } from './validate-spec.ts'

/** Validates a pod template. In Kubernetes' paths its metadata has no `metadata`. */
export function validatePodTemplate(template: PodTemplateSpec, path: string, rules: PodRules): FieldError[] {
  const spec = template.spec ?? {}
  const faults = [
    ...validateLabels(template.metadata?.labels, child(path, 'labels')),
    ...validateAnnotations(template.metadata?.annotations, child(path, 'annotations')),
    ...validatePodAnnotations(template.metadata?.annotations, spec, child(path, 'annotations')),
    ...validatePodSpec(spec, child(path, 'spec'), rules, undefined),
    ...validateProfilesAgree(template.metadata?.annotations, spec, child(path, 'spec')),
  ]
  if ((spec.ephemeralContainers ?? []).length > 0)
    faults.push(forbidden(child(path, 'spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'))
  return faults
}

const MIRROR = 'kubernetes.io/config.mirror'
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
/** What the old annotations of seccomp may be. They have no effect any more, but are validated. */
const SECCOMP_PROFILES = new Set(['runtime/default', 'docker/default', 'unconfined'])

/** Validates the annotations that have a meaning for pods. */
export function validatePodAnnotations(annotations: Record<string, string> | undefined, spec: PodSpec, path: string): FieldError[] {
  const faults: FieldError[] = []
  const mirror = annotations?.[MIRROR]
  if (mirror !== undefined && !spec.nodeName)
    faults.push(invalid(key(path, MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set'))
  const cost = annotations?.[DELETION_COST]
  if (cost !== undefined && !isDeletionCost(cost)) faults.push(invalid(key(path, DELETION_COST), cost, 'must be a 32bit integer'))
  for (const [name, profile] of Object.entries(annotations ?? {}))
    if (name === POD_SECCOMP || name.startsWith(CONTAINER_SECCOMP)) faults.push(...validateSeccompAnnotation(profile, child(path, name)))
  const profiles = Object.entries(annotations ?? {}).filter(([name]) => name.startsWith(APP_ARMOR))
  if (profiles.length === 0) return faults
  const containers = new Set(allContainers(spec).map((container) => container.name))
  return [...faults, ...faultsOfEach(profiles, ([name, profile]) => validateAppArmorAnnotation(name, profile, containers, path))]
}

function isDeletionCost(text: string): boolean {
  if (!/^(?:0|-?[1-9][0-9]{0,9})$/.test(text)) return false
  const value = Number(text)
  return value >= -(2 ** 31) && value < 2 ** 31
}

function validateAppArmorAnnotation(
  name: string,
  profile: string,
  containers: ReadonlySet<string | undefined>,
  path: string,
): FieldError[] {
  const faults: FieldError[] = []
  const container = name.slice(APP_ARMOR.length)
  if (!containers.has(container)) faults.push(invalid(key(path, name), container, 'container not found'))
  if (profile !== '' && appArmorOf(profile) === undefined)
    faults.push(invalid(key(path, name), profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`))
  return faults
}

function validateSeccompAnnotation(profile: string, path: string): FieldError[] {
  const local = /^localhost\/(.*)$/s.exec(profile)?.[1]
  if (local !== undefined) return validateLocalDescendingPath(local, path)
  return SECCOMP_PROFILES.has(profile) ? [] : [invalid(path, profile, 'must be a valid seccomp profile')]
}

/** Annotations of pods and containers name the profiles that their fields have. `path`: of the spec. */
export function validateProfilesAgree(annotations: Record<string, string> | undefined, spec: PodSpec, path: string): FieldError[] {
  if (annotations === undefined) return []
  const containers = placedContainers(spec, path)
  return [
    ...validateSeccompAgrees(annotations[POD_SECCOMP], spec.securityContext?.seccompProfile, child(path, 'securityContext')),
    ...containers.flatMap(({ container, path: at }) =>
      validateSeccompAgrees(
        annotations[`${CONTAINER_SECCOMP}${container.name ?? ''}`],
        container.securityContext?.seccompProfile,
        child(at, 'securityContext'),
      ),
    ),
    ...validateAppArmorAgrees(annotations, spec, path),
  ]
}

function validateSeccompAgrees(annotation: string | undefined, field: SeccompProfile | undefined, path: string): FieldError[] {
  if (annotation === undefined || field === undefined) return []
  const profile = child(path, 'seccompProfile')
  const names = SECCOMP_ANNOTATIONS[field.type ?? '']
  if (names !== undefined && !names.test(annotation))
    return [forbidden(child(profile, 'type'), 'seccomp type in annotation and field must match')]
  if (field.type !== 'Localhost' || annotation === `localhost/${field.localhostProfile ?? ''}`) return []
  return [forbidden(child(profile, 'localhostProfile'), 'seccomp profile in annotation and field must match')]
}

/** What an annotation says for each type of a field. */
const SECCOMP_ANNOTATIONS: Readonly<Record<string, RegExp>> = {
  Unconfined: /^unconfined$/,
  RuntimeDefault: /^(?:runtime|docker)\/default$/,
  Localhost: /^localhost\//,
}

/** The annotation of a container that has a profile, or whose pod has one, names the same. */
function validateAppArmorAgrees(annotations: Record<string, string>, spec: PodSpec, path: string): FieldError[] {
  if (spec.os?.name === 'windows') return []
  return placedContainers(spec, path).flatMap(({ container, path: at }) => {
    const annotation = annotations[`${APP_ARMOR}${container.name ?? ''}`]
    const field = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    if (annotation === undefined || field === undefined) return []
    const named = appArmorOf(annotation)
    const profile = child(at, 'securityContext', 'appArmorProfile')
    if (named?.type !== field.type) return [forbidden(child(profile, 'type'), 'apparmor type in annotation and field must match')]
    if (named?.localhostProfile === field.localhostProfile) return []
    return [forbidden(child(profile, 'localhostProfile'), 'apparmor profile in annotation and field must match')]
  })
}
