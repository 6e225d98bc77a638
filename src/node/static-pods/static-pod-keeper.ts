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
  /** The node as the API has it. */
  readonly node: () => Node | undefined
  /** A pod that is to be admitted and run, or that says something else than before. */
  readonly arrive: (pod: Pod) => void
  /** A pod has to end: it is told so, with its grace. True: it runs, and `ended` will be called. */
  readonly end: (pod: Pod) => boolean
  /** The mirror of a running pod has changed, or gone. By uid. */
  readonly mirrored: (uid: string, mirror: KubeObject | undefined) => void
  /** What the runtime may have of a pod that nobody wants. By uid. */
  readonly clear: (uid: string) => void
}

/** How long until a mirror that could not be taken away is tried again. */
const RETRY_MS = 1000

/** Looks after the static pods of a node and their mirrors, and takes away mirrors that stand for nothing. */
export class StaticPodKeeper {
  readonly #deps: KeeperDeps
  readonly #statics: StaticPods
  readonly #mirrors: MirrorPods
  readonly #changed = new Signal()
  readonly #begun = new Signal()
  /** Every source has answered: what none of them wants is not wanted. */
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

  /** A mirror of this node as the API has it now. */
  observe(mirror: KubeObject): void {
    this.#mirrors.observe(mirror)
    this.#tell(mirror, mirror)
  }

  /** A mirror of this node has gone. */
  gone(mirror: KubeObject): void {
    this.#mirrors.gone(mirror)
    this.#tell(mirror, undefined)
  }

  /** Nothing of this pod runs any more. */
  ended(pod: Pod): void {
    this.#statics.ended(fullNameOf(pod))
  }

  /** Where the status of a static pod is written. `changed` is called when others have written to it. */
  writer(changed: () => void): MirrorWriter {
    const { client, log } = this.#deps
    return new MirrorWriter({ client, log, changedByOthers: changed, mirrors: this.#mirrors, statics: this.#statics })
  }

  /** Resolves when every source has answered once, or the signal is aborted. */
  async complete(signal: AbortSignal): Promise<void> {
    if (!this.#complete) await this.#begun.wait({ signal })
  }

  /** Begins when all mirrors that stand are known. Ends with the signal. */
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

  #tell(of: KubeObject, mirror: KubeObject | undefined): void {
    const running = this.#statics.running(fullNameOf(of))
    if (running === undefined) this.#changed.raise()
    else this.#deps.mirrored(running.metadata.uid ?? '', mirror)
  }

  /** A pod goes on from what its mirror tells; another pod of that name keeps the moments alone. */
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
