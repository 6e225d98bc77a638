import { type Clock, timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Pod } from '../types/pod.ts'
import { MirrorPods, mirrors, uidOnNode } from './mirror-pods.ts'
import { MirrorWriter } from './mirror-writer.ts'
import type { StaticPodFeed } from './static-pod-feed.ts'
import { fullNameOf, StaticPods } from './static-pods.ts'

export interface KeeperDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  /** The Node object. */
  readonly node: () => Node | undefined
  /** A new or changed pod that is to be admitted and run. */
  readonly arrive: (pod: Pod) => void
  /** Terminates a pod gracefully. True: it runs, and `ended` will be called. */
  readonly end: (pod: Pod) => boolean
  /** The mirror pod of a running pod has changed or is deleted. By UID. */
  readonly mirrored: (uid: string, mirror: KubeObject | undefined) => void
  /** Cleans up what the runtime has of a pod without a manifest. By UID. */
  readonly clear: (uid: string) => void
}

/** The periods of the kubelet's housekeeping, which deletes mirror pods, and of its garbage collection. */
const HOUSEKEEPING_MS = 2000
const GARBAGE_COLLECTION_MS = 60_000

/** Manages the static pods of a node and their mirror pods, and deletes mirror pods without a static pod. */
export class StaticPodManager {
  readonly #deps: KeeperDeps
  readonly #statics: StaticPods
  readonly #mirrors: MirrorPods
  readonly #changed = new Signal()
  readonly #begun = new Signal()
  /** UIDs of ended pods that the runtime still has. */
  readonly #garbage = new Set<string>()
  /** Every source has responded: pods that are in none of them can be removed. */
  #complete = false

  constructor(deps: KeeperDeps) {
    this.#deps = deps
    this.#mirrors = new MirrorPods(deps)
    this.#statics = new StaticPods({
      start: (pod) => {
        this.#garbage.delete(pod.metadata.uid ?? '')
        deps.arrive(this.#asBefore(pod))
      },
      update: (pod) => deps.arrive(pod),
      stop: (pod) => deps.end(this.#leaving(pod)),
      forget: () => this.#changed.raise(),
    })
  }

  /** Handles a new version of a mirror pod of this node. */
  observe(mirror: KubeObject): void {
    this.#mirrors.observe(mirror)
    this.#notify(mirror, mirror)
  }

  /** Handles a deleted mirror pod of this node. */
  gone(mirror: KubeObject): void {
    this.#mirrors.gone(mirror)
    this.#notify(mirror, undefined)
  }

  /** None of this pod's containers runs any more. */
  ended(pod: Pod): void {
    this.#garbage.add(pod.metadata.uid ?? '')
    this.#statics.ended(fullNameOf(pod))
    this.#changed.raise()
  }

  /** Writes the status of a static pod. `changed` is called when others have written to it. */
  writer(changed: () => void): MirrorWriter {
    const { client, log } = this.#deps
    return new MirrorWriter({ client, log, changedByOthers: changed, mirrors: this.#mirrors, statics: this.#statics })
  }

  /** Resolves when every source has responded once, or the signal is aborted. */
  async complete(signal: AbortSignal): Promise<void> {
    if (!this.#complete) await this.#begun.wait({ signal })
  }

  /** Starts when all existing mirror pods are known. Ends with the signal. */
  async run(feed: StaticPodFeed | undefined, signal: AbortSignal): Promise<void> {
    const take = (pods: readonly Pod[], complete: boolean) => {
      this.#statics.set(pods)
      if (!complete) return
      this.#complete = true
      this.#begun.raise()
      this.#changed.raise()
    }
    if (feed === undefined) take([], true)
    await Promise.all([feed?.run(take, signal), this.#sweep(signal)])
  }

  /** Deletes mirror pods without a static pod at the next housekeeping, and what the runtime has of ended pods at the next collection. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { clock, clear } = this.#deps
    const begunMs = clock.now()
    const next = (periodMs: number) => periodMs - ((clock.now() - begunMs) % periodMs)
    while (!signal.aborted) {
      if (this.#orphans().length > 0) {
        await pause(clock, next(HOUSEKEEPING_MS), signal, 'work')
        for (const mirror of signal.aborted ? [] : this.#orphans()) await this.#removeOrphan(mirror)
        continue
      }
      const collectAtMs = this.#garbage.size === 0 ? undefined : clock.now() + next(GARBAGE_COLLECTION_MS)
      if ((await this.#changed.wait({ clock, untilMs: collectAtMs, signal })) !== 'late') continue
      for (const uid of this.#garbage) clear(uid)
      this.#garbage.clear()
    }
  }

  /** Mirror pods of no static pod. */
  #orphans(): readonly KubeObject[] {
    const wanted = (name: string) => this.#statics.wanted(name) !== undefined || this.#statics.running(name) !== undefined
    return this.#complete ? this.#mirrors.all().filter((mirror) => !wanted(fullNameOf(mirror))) : []
  }

  async #removeOrphan(mirror: KubeObject): Promise<void> {
    const uid = uidOnNode(mirror)
    try {
      await this.#mirrors.remove(mirror)
      if (!this.#garbage.has(uid)) this.#deps.clear(uid)
    } catch (error) {
      this.#deps.log.warn('the mirror of a static pod could not be taken away, trying again', { pod: fullNameOf(mirror), error })
    }
  }

  #notify(of: KubeObject, mirror: KubeObject | undefined): void {
    const running = this.#statics.running(fullNameOf(of))
    if (running === undefined) this.#changed.raise()
    else this.#deps.mirrored(running.metadata.uid ?? '', mirror)
  }

  /** A pod continues with its mirror pod's status; a different pod of that name keeps the times only. */
  #asBefore(pod: Pod): Pod {
    const mirror = this.#mirrors.standing(fullNameOf(pod))
    if (mirror?.status === undefined) return pod
    const status = mirror.status as Pod['status']
    if (mirrors(mirror, pod)) return { ...pod, status }
    const { startTime, conditions } = status
    return { ...pod, status: { ...pod.status, ...(startTime && { startTime }), ...(conditions && { conditions }) } }
  }

  #leaving(pod: Pod): Pod {
    const deletionGracePeriodSeconds = pod.spec.terminationGracePeriodSeconds ?? 30
    return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timestamp(this.#deps.clock.now()), deletionGracePeriodSeconds } }
  }
}
