import { semanticEqual } from '../../machinery/equal.ts'
import { key } from '../../machinery/field-error.ts'
import type { Pod, SeccompProfile } from './types.ts'
import { placedContainers } from './validation/validate-host-access.ts'

/** The annotation that named the profile of a container, by its name, before there was a field. */
export const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'
export const OLD_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'

/** The field that equals the annotation; undefined for an invalid value. */
export function appArmorOf(annotation: string): SeccompProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const local = /^localhost\/(.+)$/s.exec(annotation)?.[1]
  return local === undefined ? undefined : { type: 'Localhost', localhostProfile: local }
}

/** The annotation sets the field of a container that has none, where the pod's profile is another one, with a warning. */
export function takeAppArmorAnnotations({ spec = {}, metadata }: Pod, warn: (text: string) => void): void {
  if (spec.os?.name === 'windows') return
  for (const { container } of placedContainers(spec, 'spec')) {
    const name = `${APP_ARMOR}${container.name ?? ''}`
    const annotation = metadata.annotations?.[name]
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue
    const field = appArmorOf(annotation)
    if (field !== undefined && semanticEqual(field, spec.securityContext?.appArmorProfile)) continue
    if (field !== undefined) container.securityContext = { ...container.securityContext, appArmorProfile: field }
    warn(`${key('metadata.annotations', name)}: ${OLD_APP_ARMOR}`)
  }
}
