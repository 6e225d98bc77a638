import { type AdmissionPlugin, type AdmissionRequest, isAbout, refusal } from '../../../apiserver/admission/plugin.ts'
import { notSupported } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { plainError } from '../plain-error.ts'

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const

interface Place {
  readonly path: string
  readonly container: { image?: string; imagePullPolicy?: string }
}

const containersOf = (pod: KubeObject): Place[] =>
  LISTS.flatMap((list) =>
    (pod.spec?.[list] ?? []).map((container: Place['container'], i: number) => ({ path: `spec.${list}[${i}]`, container })),
  )

const imageVolumes = (pod: KubeObject): { readonly path: string; readonly image: { pullPolicy?: string } }[] =>
  (pod.spec?.volumes ?? []).flatMap((volume: { image?: { pullPolicy?: string } }, i: number) =>
    volume.image === undefined ? [] : [{ path: `spec.volumes[${i}].image`, image: volume.image }],
  )

/** Every image is asked for anew, so that whoever may not pull it cannot use a node's copy. Off unless it is enabled. */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  handles: (r) => (r.operation === 'CREATE' || r.operation === 'UPDATE') && isAbout(r, '', 'pods') && !keepsImages(r),
  mutate({ object: pod }) {
    if (pod === undefined) return
    for (const { container } of containersOf(pod)) container.imagePullPolicy = 'Always'
    for (const { image } of imageVolumes(pod)) image.pullPolicy = 'Always'
  },
  validate(request) {
    const { object: pod } = request
    if (pod === undefined) return
    const wrong = [
      ...containersOf(pod).map(({ path, container }) => ({ field: `${path}.imagePullPolicy`, policy: container.imagePullPolicy ?? '' })),
      ...imageVolumes(pod).map(({ path, image }) => ({ field: `${path}.pullPolicy`, policy: image.pullPolicy ?? '' })),
    ].filter(({ policy }) => policy !== 'Always')
    if (wrong.length === 0) return
    const told = wrong.map(({ field, policy }) => {
      const fault = notSupported(field, policy, ['Always'])
      return refusal(request, `${fault.field}: ${fault.message}`).message
    })
    throw plainError(joinErrors(told))
  },
}

/** An update that brings no new image pulls none. */
function keepsImages({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE' || object === undefined || oldObject === undefined) return false
  const old = new Set(containersOf(oldObject).map(({ container }) => container.image))
  return containersOf(object).every(({ container }) => old.has(container.image))
}
