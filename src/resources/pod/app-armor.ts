import { semanticEqual } from '../../machinery/equal.ts'
import { key } from '../../machinery/field-error.ts'
import type { Pod, SeccompProfile } from './types.ts'
import { placedContainers } from './validation/validate-host-access.ts'

/** The annotation that named the profile of a container, by its name, before there was a field. */
export const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'
export const OLD_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'

const LOCAL = 'localhost/'
/** In bytes. */
export const LONGEST_PROFILE = 4095

/** What the annotation says; undefined for an invalid value. The name of a local profile may be empty or too long for the field. */
export function appArmorOf(annotation: string): SeccompProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  return annotation.startsWith(LOCAL) ? { type: 'Localhost', localhostProfile: annotation.slice(LOCAL.length) } : undefined
}

/** The field that equals the annotation; undefined if there is none. */
function fieldOf(annotation: string): SeccompProfile | undefined {
  const profile = appArmorOf(annotation)
  const name = profile?.localhostProfile
  return name === '' || Buffer.byteLength(name ?? '') > LONGEST_PROFILE ? undefined : profile
}

/** The annotation sets the field of a container that has none, where the pod's profile is another one, with a warning. */
export function takeAppArmorAnnotations({ spec = {}, metadata }: Pod, warn: (text: string) => void): void {
  if (spec.os?.name === 'windows') return
  for (const { container } of placedContainers(spec, 'spec')) {
    const name = `${APP_ARMOR}${container.name ?? ''}`
    const annotation = metadata.annotations?.[name]
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue
    const field = fieldOf(annotation)
    if (field !== undefined && semanticEqual(field, spec.securityContext?.appArmorProfile)) continue
    if (field !== undefined) container.securityContext = { ...container.securityContext, appArmorProfile: field }
    warn(`${key('metadata.annotations', name)}: ${OLD_APP_ARMOR}`)
  }
}
