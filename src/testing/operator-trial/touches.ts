import { Slots } from '../../base/slots.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client, Target } from '../../sdk/client/client.ts'
import { TOUCHED } from './state.ts'

interface Touched {
  readonly place: Target
  /** The object as it was left the last time. */
  left: Readonly<KubeObject> | undefined
  /** Another client has overwritten the object from an older copy. */
  lost: boolean
}

/** What the trial changes of the operator's objects while it works, and whether that stays. */
export class Touches {
  readonly #client: Client
  readonly #touched = new Map<string, Touched>()
  #count = 0
  /** One at a time: what one looks for, another may be about to change. */
  readonly #touching = new Slots(() => 1)

  constructor(client: Client) {
    this.#client = client
  }

  /** Changes an annotation without meaning. */
  async touch(target: Partial<Target> | undefined): Promise<void> {
    const { group = '', version = '', resource = '', namespace = '', name } = target ?? {}
    if (name === undefined || name === '') return
    const place = { group, version, resource, ...(namespace === '' ? {} : { namespace }), name }
    await this.#touching.run(() => this.#touchNow(place))
  }

  async #touchNow(place: Target): Promise<void> {
    const lost = await this.isLost(place)
    this.#touched.set(placeText(place), { place, left: await this.#annotate(place, `touch-${++this.#count}`), lost })
  }

  /** Whether an object has lost the last touch, now or before. An object that was created again since has lost nothing. */
  async isLost(place: Target): Promise<boolean> {
    const touched = this.#touched.get(placeText(place))
    if (touched?.left === undefined) return touched?.lost === true
    const found = await this.#client.get(place).catch(() => undefined)
    touched.lost ||= found !== undefined && found.metadata.uid === touched.left.metadata.uid && mark(found) !== mark(touched.left)
    return touched.lost
  }

  /** Takes that back: some keep a note of the whole object. */
  async untouch(): Promise<void> {
    for (const { place } of this.#touched.values()) await this.#annotate(place, null)
  }

  async #annotate(place: Target, value: string | null): Promise<Readonly<KubeObject> | undefined> {
    // An object that does not exist needs no change.
    return this.#client.patch(place, 'merge', { metadata: { annotations: { [TOUCHED]: value } } }).catch(() => undefined)
  }
}

const mark = ({ metadata }: Readonly<KubeObject>) => metadata.annotations?.[TOUCHED]

/** A target as a text, whatever the order of its fields. */
const placeText = ({ group, resource, namespace = '', name = '' }: Target) => JSON.stringify([group, resource, namespace, name])
