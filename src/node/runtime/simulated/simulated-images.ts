import { createHash } from 'node:crypto'
import type { Clock } from '../../../base/clock.ts'
import { withDefaultTag } from '../default-tag.ts'
import type { Image } from '../runtime.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { ImageBehaviour, Script } from './behaviour.ts'

/** The most images of a node; the oldest are dropped first. */
const KEEP_IMAGES = 1000

/** The images that a node has pulled; the script decides which images exist. */
export class SimulatedImages {
  readonly #script: Script
  readonly #clock: Clock
  readonly #byName = new Map<string, Image>()

  constructor(script: Script, clock: Clock) {
    this.#script = script
    this.#clock = clock
  }

  find(name: string): Image | undefined {
    return this.#byName.get(withDefaultTag(name))
  }

  all(): readonly Image[] {
    return [...this.#byName.values()]
  }

  /** @throws {RuntimeError} if the script has no such image */
  async pull(name: string, signal: AbortSignal): Promise<Image> {
    const found = this.#script.image(name)
    if (found.kind === 'found' && found.pullMs !== undefined) await this.#clock.sleep(found.pullMs, signal)
    if (found.kind === 'missing') throw new RuntimeError('image-not-found', `manifest for ${name} not found`)
    if (found.kind === 'failing') throw new RuntimeError(found.code, found.message)
    return this.#keep(name, found)
  }

  /** The numeric user of an image. For one that was pulled before this process started, the registry's. */
  userOf(name: string): number {
    const image = this.find(name) ?? this.#script.image(name)
    return ('uid' in image ? image.uid : undefined) ?? 0
  }

  /** Restores the image of a container that ran before this process started. */
  restore(name: string): void {
    const found = this.#script.image(name)
    if (found.kind === 'found' && this.find(name) === undefined) this.#keep(name, found)
  }

  #keep(name: string, { sizeBytes, uid, username }: Extract<ImageBehaviour, { kind: 'found' }>): Image {
    const tagged = withDefaultTag(name)
    const image = {
      name: tagged,
      id: digestOf(tagged),
      sizeBytes,
      ...(uid !== undefined && { uid }),
      ...(username !== undefined && { username }),
    }
    this.#byName.delete(tagged)
    this.#byName.set(tagged, image)
    if (this.#byName.size > KEEP_IMAGES)
      for (const [oldest] of [...this.#byName].slice(0, this.#byName.size - KEEP_IMAGES)) this.#byName.delete(oldest)
    return image
  }

  remove(name: string): void {
    this.#byName.delete(withDefaultTag(name))
  }
}

/** The digest is computed from the name, so that the same name is the same image everywhere. */
function digestOf(tagged: string): string {
  const at = tagged.indexOf('@')
  if (at !== -1) return tagged
  const repository = tagged.slice(0, tagged.lastIndexOf(':'))
  const [host = '', ...path] = repository.split('/')
  const full =
    path.length === 0 ? `docker.io/library/${repository}` : /[.:]|^localhost$/.test(host) ? repository : `docker.io/${repository}`
  return `${full}@sha256:${createHash('sha256').update(tagged).digest('hex')}`
}
