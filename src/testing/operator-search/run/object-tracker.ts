import type { Clock } from '../../../base/clock.ts'
import { quiet } from '../../../base/quiet.ts'
import { apiVersionOf, type KubeObject } from '../../../machinery/object.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { DiscoveredResource } from '../../../sdk/client/discovery.ts'
import { keyOf, refOf } from '../../operator-trial/trial-base.ts'
import type { ObjectChange } from '../history.ts'

/** A cluster whose objects are followed. */
export interface TrackedCluster {
  readonly client: Client
  readonly clock: Clock
  readonly resources: readonly DiscoveredResource[]
  readonly step: () => number
}

/** All objects of some kinds, and their changes since the beginning. */
export class ObjectTracker implements AsyncDisposable {
  readonly changes: ObjectChange[] = []
  readonly #objects = new Map<string, Readonly<KubeObject>>()
  readonly #stop = new AbortController()
  readonly #following: Promise<unknown>[] = []
  readonly #of: TrackedCluster

  private constructor(of: TrackedCluster) {
    this.#of = of
  }

  /** Resolves when it follows all of them. */
  static async open(of: TrackedCluster): Promise<ObjectTracker> {
    const tracker = new ObjectTracker(of)
    await Promise.all(of.resources.map((resource) => tracker.#list(resource)))
    return tracker
  }

  get objects(): readonly Readonly<KubeObject>[] {
    return [...this.#objects.values()]
  }

  async #list(resource: DiscoveredResource): Promise<void> {
    const { items, metadata } = await this.#of.client.list(refOf(resource))
    for (const item of items) {
      const object = typed(item, resource)
      this.#objects.set(keyOf(object), object)
    }
    const following = this.#follow(resource, metadata.resourceVersion ?? '')
    this.#following.push(quiet(following, 'what happens after the end of a watch is not compared'))
  }

  async #follow(resource: DiscoveredResource, resourceVersion: string): Promise<void> {
    for await (const batch of this.#of.client.watch(refOf(resource), { resourceVersion, signal: this.#stop.signal }))
      for (const { type, object } of batch) if (type !== 'BOOKMARK') this.#change(type, typed(object, resource), resource)
  }

  #change(type: ObjectChange['type'], object: Readonly<KubeObject>, resource: DiscoveredResource): void {
    const key = keyOf(object)
    const before = this.#objects.get(key)
    if (type === 'DELETED') this.#objects.delete(key)
    else this.#objects.set(key, object)
    const revision = Number(object.metadata.resourceVersion ?? 0)
    this.changes.push({
      type,
      revision,
      step: this.#of.step(),
      atMs: this.#of.clock.now(),
      key,
      ref: refOf(resource),
      object,
      before,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#following)
  }
}

/** Items of lists of built-in kinds lack both fields. */
const typed = (object: Readonly<KubeObject>, { kind, group, version }: DiscoveredResource): Readonly<KubeObject> =>
  object.kind === undefined ? { ...object, kind, apiVersion: apiVersionOf({ group, version }) } : object
