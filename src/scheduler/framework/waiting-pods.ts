import type { Clock } from '../../base/clock.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { unschedulable, type Verdict } from './verdict.ts'

/** A pod that has its node and waits for permission to be bound there. */
export interface WaitingPod {
  readonly info: PodInfo
  readonly node: string
  /** The plugins that have not allowed it yet. */
  readonly pending: ReadonlySet<string>
}

interface PendingPermission extends WaitingPod {
  readonly pending: Set<string>
  finish(verdict: Verdict | undefined): void
}

/** Pods at Permit: each waits until every plugin that stopped it allows it, one rejects it, or its time is up. */
export class WaitingPods {
  readonly #clock: Clock
  readonly #byUid = new Map<string, PendingPermission>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#byUid.size
  }

  list(): readonly WaitingPod[] {
    return [...this.#byUid.values()]
  }

  get(uid: string): WaitingPod | undefined {
    return this.#byUid.get(uid)
  }

  /** The plugin has nothing more against the pod. */
  allow(uid: string, plugin: string): void {
    const waiting = this.#byUid.get(uid)
    if (waiting?.pending.delete(plugin) && waiting.pending.size === 0) waiting.finish(undefined)
  }

  reject(uid: string, plugin: string, reason: string): void {
    this.#byUid.get(uid)?.finish(unschedulable(plugin, reason))
  }

  /** Resolves with the rejection, or undefined when the pod is allowed. Times in milliseconds, by plugin. */
  wait(info: PodInfo, node: string, timeoutsMs: ReadonlyMap<string, number>): Promise<Verdict | undefined> {
    return new Promise((resolve) => {
      const timers = [...timeoutsMs].map(([plugin, ms]) =>
        this.#clock.after(ms, () =>
          waiting.finish(unschedulable(plugin, `rejected due to timeout after waiting ${ms / 1000}s at plugin ${plugin}`)),
        ),
      )
      const waiting: PendingPermission = {
        info,
        node,
        pending: new Set(timeoutsMs.keys()),
        finish: (verdict) => {
          for (const cancel of timers) cancel()
          this.#byUid.delete(info.uid)
          resolve(verdict)
        },
      }
      this.#byUid.set(info.uid, waiting)
    })
  }
}
