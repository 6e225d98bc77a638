import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import { pause } from '../../../base/pause.ts'
import type { ImageLimits } from '../../configuration/kubelet-configuration.ts'
import type { Image, Runtime } from '../../runtime/runtime.ts'
import type { AgentPart, AgentView } from '../../types/agent-part.ts'
import type { DiskSpace } from '../usage/disk-space.ts'
import { imagesToRemove, type SeenImage } from './images-to-remove.ts'

export interface ImageGarbageDeps {
  readonly runtime: Pick<Runtime, 'images' | 'containers' | 'removeImage'>
  /** Of the file system that images are on. */
  readonly disk: () => Promise<DiskSpace>
  readonly limits: ImageLimits
  readonly clock: Clock
  readonly log: Logger
}

/** The kubelet's value. */
const INTERVAL_MS = 5 * 60_000

/** Removes images that nothing uses, when their file system is too full or they are too old. */
export class ImageGarbage implements AgentPart {
  readonly #deps: ImageGarbageDeps
  readonly #startedMs: number
  readonly #seen = new Map<string, SeenImage>()

  constructor(deps: ImageGarbageDeps) {
    this.#deps = deps
    this.#startedMs = deps.clock.now()
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    for (let first = true; !signal.aborted; first = false) {
      try {
        if (first) await this.#look(0, signal)
        else await this.collect(agent, signal)
      } catch (error) {
        if (!signal.aborted) log.warn('unused images could not be removed, trying again', { error: messageOf(error) })
      }
      await pause(clock, INTERVAL_MS, signal)
    }
  }

  /** Looks what is used, and removes what has to go. */
  async collect(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { clock, limits, disk, runtime } = this.#deps
    await this.#look(clock.now(), signal)
    const { capacityBytes, availableBytes } = await disk()
    const images = [...this.#seen.values()]
    const input = { images, limits, disk: { capacityBytes, availableBytes }, startedMs: this.#startedMs, nowMs: clock.now() }
    const removal = imagesToRemove(input)
    for (const image of removal.images) {
      await runtime.removeImage(image.id, signal)
      this.#seen.delete(image.id)
    }
    const { wantedBytes, freedBytes } = removal
    if (freedBytes < wantedBytes) agent.recordNodeEvent('Warning', 'FreeDiskSpaceFailed', failure(wantedBytes, freedBytes))
  }

  /** `firstSeenMs`: of images that were not there before. */
  async #look(firstSeenMs: number, signal: AbortSignal): Promise<void> {
    const { runtime, clock } = this.#deps
    const [images, containers] = await Promise.all([runtime.images(signal), runtime.containers({}, signal)])
    const names = new Set(containers.flatMap(({ image }) => [image.id, image.name]))
    const present = new Set(images.map(({ id }) => id))
    for (const id of this.#seen.keys()) if (!present.has(id)) this.#seen.delete(id)
    for (const image of images) this.#note(image, { used: names.has(image.id) || names.has(image.name), firstSeenMs, nowMs: clock.now() })
  }

  #note(image: Image, { used, firstSeenMs, nowMs }: { used: boolean; firstSeenMs: number; nowMs: number }): void {
    const known = this.#seen.get(image.id)
    const usedAtMs = used ? nowMs : (known?.usedAtMs ?? 0)
    this.#seen.set(image.id, { image, used, usedAtMs, firstSeenMs: known?.firstSeenMs ?? firstSeenMs })
  }
}

const failure = (wanted: number, freed: number) =>
  `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`
