import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { Signal } from '../../base/signal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { NODES, RESOURCE_SLICES } from '../../resources/refs.ts'
import type { ResourceSlice, ResourceSliceSpec } from '../../resources/types/resource.ts'
import type { Client } from '../client/client.ts'
import { createInformer } from '../informer/create-informer.ts'
import type { DevicePool } from './dra-driver.ts'
import { holds, planSlices, type SliceContent, type SliceOwner } from './plan-slices.ts'

export interface PublisherDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly driver: string
  readonly nodeName: string
}

const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 30_000

/** Keeps the slices of a driver on a node equal to its pools: slices that others delete or change are restored. */
export class SlicePublisher {
  readonly #deps: PublisherDeps
  readonly #changed = new Signal()
  /** By slice: the desired state of the last write, and the API's result. */
  readonly #written = new Map<string, { readonly wanted: string; readonly made: string }>()
  readonly #published: Promise<void>
  #tellPublished = () => {}
  #pools: ReadonlyMap<string, DevicePool> | undefined

  constructor(deps: PublisherDeps) {
    this.#deps = deps
    this.#published = new Promise((resolve) => {
      this.#tellPublished = resolve
    })
  }

  /** Resolves when the pools were published for the first time. */
  get published(): Promise<void> {
    return this.#published
  }

  publish(pools: ReadonlyMap<string, DevicePool>): void {
    this.#pools = pools
    this.#changed.raise()
  }

  /** Until the signal is aborted. What is published stays: the node takes it away when the driver does not come back. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, log, driver, nodeName } = this.#deps
    const fieldSelector = `spec.nodeName=${nodeName},spec.driver=${driver}`
    const slices = createInformer({ client, target: RESOURCE_SLICES, fieldSelector, clock, log })
    const changed = () => this.#changed.raise()
    slices.addHandler({ added: changed, updated: changed, deleted: changed })
    slices.synced.then(changed, changed)
    const following = slices.run(signal)
    let retryMs = FIRST_RETRY_MS
    let node: SliceOwner | undefined
    while (!signal.aborted) {
      let untilMs: number | undefined
      try {
        if (this.#pools !== undefined && slices.hasSynced) {
          node ??= await this.#node(signal)
          await this.#reconcile(node, this.#pools, slices.list())
          this.#tellPublished()
        }
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (signal.aborted) break
        if (!isStatus(error, 'Conflict', 'AlreadyExists')) log.warn(`devices of ${driver} cannot be published, trying again`, { error })
        untilMs = clock.now() + retryMs
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
      await this.#changed.wait({ clock, untilMs, signal })
    }
    await following
  }

  async #node(signal: AbortSignal): Promise<SliceOwner> {
    const { client, driver, nodeName } = this.#deps
    const { metadata } = await client.get({ ...NODES, name: nodeName }, { signal })
    return { driver, nodeName, nodeUid: metadata.uid ?? '' }
  }

  async #reconcile(owner: SliceOwner, pools: ReadonlyMap<string, DevicePool>, published: readonly ResourceSlice[]): Promise<void> {
    const { client } = this.#deps
    const plan = planSlices(owner, pools, published, (slice, wanted) => this.#same(slice, wanted))
    for (const slice of plan.remove) {
      await client.delete({ ...RESOURCE_SLICES, name: slice.metadata.name ?? '' }).catch(ignoring('NotFound'))
    }
    for (const slice of plan.update) {
      this.#write(slice, await client.update({ ...RESOURCE_SLICES, name: slice.metadata.name ?? '' }, slice))
    }
    for (const slice of plan.create) this.#write(slice, await client.create(RESOURCE_SLICES, slice))
  }

  /** What the API keeps otherwise than it was written is not written again and again. */
  #same(slice: ResourceSlice, wanted: SliceContent): boolean {
    const known = this.#written.get(slice.metadata.name ?? '')
    return holds(slice, wanted) || (known?.wanted === contentOf(wanted) && known.made === contentOf(slice.spec))
  }

  #write(wanted: ResourceSlice, made: ResourceSlice): void {
    this.#written.set(wanted.metadata.name ?? '', { wanted: contentOf(wanted.spec), made: contentOf(made.spec) })
  }
}

function contentOf({ driver: _, nodeName: __, pool: ___, ...content }: Partial<ResourceSliceSpec>): string {
  return JSON.stringify(content)
}
