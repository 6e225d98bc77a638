import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import type { Container, Pod } from '../../types/pod.ts'
import type { Note } from '../report/notes.ts'
import type { StopperDeps } from './container-stopper.ts'
import { ensureImage, type ImageDeps, type ImageOutcome } from './ensure-image.ts'

/** What became of the image of each image volume, by the volume's name. */
export type VolumeImages = ReadonlyMap<string, ImageOutcome>

const NONE: VolumeImages = new Map()

/**
 * Gets the images of the pod's image volumes, before any container is started: those that no container mounts, too. As in the kubelet, the
 * events are about the pod.
 */
export async function volumeImages(deps: ImageDeps & Pick<StopperDeps, 'events'>, pod: Pod, signal: AbortSignal): Promise<VolumeImages> {
  if (!pod.spec.volumes?.some((volume) => volume.image)) return NONE
  const outcomes = new Map<string, ImageOutcome>()
  const note: Note = (type, reason, message) => {
    // The failure of a container that mounts the volume is an event of its own.
    if (!message.startsWith('Error: ')) deps.events.record({ regarding: referenceTo(pod), type, reason, message })
  }
  for (const { name, image } of pod.spec.volumes ?? []) {
    if (image === undefined) continue
    const { reference = '', pullPolicy } = image
    const container: Container = { name, image: reference, ...(pullPolicy && { imagePullPolicy: pullPolicy }) }
    outcomes.set(name, await ensureImage(deps, { pod, container, note }, signal))
  }
  return outcomes
}

/** The failures of the images that a container mounts, in the order of its mounts. */
export function failedImages(images: VolumeImages, container: Container): readonly Extract<ImageOutcome, { kind: 'failed' }>[] {
  return (container.volumeMounts ?? []).flatMap(({ name }) => {
    const outcome = images.get(name)
    return outcome?.kind === 'failed' ? [outcome] : []
  })
}
