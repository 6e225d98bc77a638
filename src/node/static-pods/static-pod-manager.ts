import { type Clock, timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
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

/** Retry delay of a mirror pod that could not be deleted. */
const RETRY_MS = 1000

/** Manages the static pods of a node and their mirror pods, and deletes mirror pods without a static pod. */
export class StaticPodManager {
  readonly #deps: KeeperDeps
  readonly #statics: StaticPods
  readonly #mirrors: MirrorPods
  readonly #changed = new Signal()
  readonly #begun = new Signal()
  /** Every source has responded: pods that are in none of them can be removed. */
  #complete = false

  constructor(deps: KeeperDeps) {
    this.#deps = deps
    this.#mirrors = new MirrorPods(deps)
    this.#statics = new StaticPods({
      start: (pod) => deps.arrive(this.#asBefore(pod)),
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
    this.#statics.ended(fullNameOf(pod))
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

  async #sweep(signal: AbortSignal): Promise<void> {
    const { clock, log, clear } = this.#deps
    while (!signal.aborted) {
      let untilMs: number | undefined
      for (const mirror of this.#complete ? this.#mirrors.all() : []) {
        const name = fullNameOf(mirror)
        if (this.#statics.wanted(name) !== undefined || this.#statics.running(name) !== undefined) continue
        try {
          await this.#mirrors.remove(mirror)
          clear(uidOnNode(mirror))
        } catch (error) {
          log.warn('the mirror of a static pod could not be taken away, trying again', { pod: name, error })
          untilMs = clock.now() + RETRY_MS
        }
      }
      await this.#changed.wait({ clock, untilMs, signal })
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
