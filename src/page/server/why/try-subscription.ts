import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { PODS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { ChangeTrial } from '../../wire/why-page.ts'
import { summaryOf } from '../health/health.ts'
import type { Forks } from '../lab/forks.ts'
import type { Subscription } from '../subscription.ts'
import { changeNamed, makeChange } from './make-change.ts'
import { schedulingReportOf } from './why-reports.ts'

interface TrySubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly clock: Clock
  readonly forks: Forks
  readonly object: ObjectName
  /** The change in words. */
  readonly change: string
  changed(): void
}

const LOOK_MS = 50
/** A pod that does not run by then waits for something else. */
const PATIENCE_MS = 10_000

/** Makes a change on a fork, and follows what becomes of the pod there. The fork stays: the lab lists it. */
export class TrySubscription implements Subscription {
  readonly #deps: TrySubscriptionDeps
  readonly #stop = new AbortController()
  #trial: ChangeTrial = { fork: '', state: 'trying', message: 'making a fork', tookMs: 0 }

  constructor(deps: TrySubscriptionDeps) {
    this.#deps = deps
    void this.#run().catch((error: unknown) => this.#show({ ...this.#trial, state: 'failed', message: shownText(messageOf(error)) }))
  }

  next() {
    return { type: 'try', id: this.#deps.id, trial: this.#trial } as const
  }

  stop(): void {
    this.#stop.abort()
  }

  async #run(): Promise<void> {
    const { client, clock, forks, object, change } = this.#deps
    const write = changeNamed(await schedulingReportOf(client, object), change)
    const startMs = clock.monotonic()
    const fork = await forks.make(change)
    await makeChange(fork.client, write)
    while (!this.#stop.signal.aborted) {
      const pod = await fork.client.get({ ...PODS, namespace: object.namespace, name: object.name })
      const tookMs = clock.monotonic() - startMs
      const node = pod.spec.nodeName ?? ''
      const { health } = summaryOf({ ...pod, kind: 'Pod' }, clock.now())
      const message = shownText(node === '' ? health || 'it waits' : `on node ${node}${health === '' ? '' : `: ${health}`}`)
      const runs = pod.status?.phase === 'Running'
      const state = runs ? 'runs' : tookMs > PATIENCE_MS ? 'waits' : 'trying'
      this.#show({ fork: fork.name, state, message, tookMs })
      if (state !== 'trying') return
      await clock.sleep(LOOK_MS)
    }
  }

  #show(trial: ChangeTrial): void {
    this.#trial = trial
    this.#deps.changed()
  }
}
