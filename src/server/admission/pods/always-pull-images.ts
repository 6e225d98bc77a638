import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { notSupported } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { Draft } from '../../../machinery/object.ts'
import { PODS } from '../../../resources/refs.ts'
import type { Container, EphemeralContainer, ImageVolumeSource, Pod } from '../../../resources/types/core.ts'
import { plainError } from '../plain-error.ts'
import { isAbout, isWrite } from '../requests-about.ts'

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const

/** A part of a pod that pulls an image, and its field path. */
interface Located<T> {
  readonly path: string
  readonly part: T
}

const containersOf = (pod: Draft<Pod>): Located<Draft<Container | EphemeralContainer>>[] =>
  LISTS.flatMap((list) => (pod.spec[list] ?? []).map((part, i) => ({ path: `spec.${list}[${i}]`, part })))

const imageVolumes = (pod: Draft<Pod>): Located<Draft<ImageVolumeSource>>[] =>
  (pod.spec.volumes ?? []).flatMap(({ image }, i) => (image === undefined ? [] : [{ path: `spec.volumes[${i}].image`, part: image }]))

const imagesOf = ({ spec }: Pod): (string | undefined)[] => LISTS.flatMap((list) => (spec[list] ?? []).map(({ image }) => image))

/** Sets the pull policy to Always, so that a user without the right to pull an image cannot use a node's copy. Off unless it is enabled. */
export const alwaysPullImages: AdmissionPlugin<Pod> = {
  name: 'AlwaysPullImages',
  handles: (r) => isWrite(r) && isAbout(r, PODS) && !keepsImages(r),
  mutate({ object: pod }) {
    if (pod === undefined) return
    for (const { part } of containersOf(pod)) part.imagePullPolicy = 'Always'
    for (const { part } of imageVolumes(pod)) part.pullPolicy = 'Always'
  },
  validate(request) {
    const { object: pod } = request
    if (pod === undefined) return
    const wrong = [
      ...containersOf(pod).map(({ path, part }) => ({ field: `${path}.imagePullPolicy`, policy: part.imagePullPolicy ?? '' })),
      ...imageVolumes(pod).map(({ path, part }) => ({ field: `${path}.pullPolicy`, policy: part.pullPolicy ?? '' })),
    ].filter(({ policy }) => policy !== 'Always')
    if (wrong.length === 0) return
    const refusals = wrong.map(({ field, policy }) => {
      const fault = notSupported(field, policy, ['Always'])
      return refusal(request, `${fault.field}: ${fault.message}`).message
    })
    throw plainError(joinErrors(refusals))
  },
}

/** An update without new images pulls none. */
function keepsImages({ operation, object, oldObject }: AdmissionRequest<Pod>): boolean {
  if (operation !== 'UPDATE' || object === undefined || oldObject === undefined) return false
  const old = new Set(imagesOf(oldObject))
  return imagesOf(object).every((image) => old.has(image))
}
