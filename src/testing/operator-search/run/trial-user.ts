import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { giveTurn } from '../../../base/turns.ts'
import { ignoring } from '../../../machinery/ignoring.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Client, Target } from '../../../sdk/client/client.ts'
import type { DiscoveredResource } from '../../../sdk/client/discovery.ts'
import { TOUCHED } from '../../operator-trial/state.ts'
import { targetOf } from '../../operator-trial/trial-base.ts'
import { applyPatch } from './apply-patch.ts'

/** How long the user waits for a webhook, and how often. */
const WEBHOOK_WAIT_MS = 1000
const MOST_TRIES = 10
const NOT_SERVED = /failed calling webhook .*(?:refused|no endpoints available|EOF|reset)/s

/** The cluster in which the user works. */
interface UserDeps {
  readonly client: Client
  readonly clock: Clock
  readonly resources: readonly DiscoveredResource[]
  /** Lets virtual time pass. */
  readonly pass: (spanMs: number) => Promise<void>
}

/** Changes objects as a user of the operator does, and as other clients do. */
export class TrialUser {
  readonly #deps: UserDeps

  constructor(deps: UserDeps) {
    this.#deps = deps
  }

  /** Applies an object; `before`: what was applied the last time. @throws {StatusError} when the API server refuses it */
  async apply(object: KubeObject, before: KubeObject | undefined): Promise<void> {
    const target = this.#target(object)
    const patch = before && applyPatch(before, object)
    await this.#untilServed(() =>
      patch === undefined
        ? this.#deps.client.patch(target, 'apply', object, { fieldManager: 'user', force: true })
        : this.#deps.client.patch(target, 'merge', patch, { fieldManager: 'user' }),
    )
  }

  /** Deletes an object, if it exists. @throws {StatusError} when the API server refuses that */
  async remove(object: KubeObject): Promise<void> {
    await this.#untilServed(() => this.#deps.client.delete(this.#target(object)).catch(ignoring('NotFound')))
  }

  /** Whether the API server would accept an object; one that it cannot judge now (a webhook does not answer) counts as accepted. */
  accepts(object: KubeObject): Promise<boolean> {
    const options = { fieldManager: 'user', force: true, dryRun: true }
    return this.#deps.client.patch(this.#target(object), 'apply', object, options).then(
      () => true,
      (error: unknown) => !isStatus(error, 'Invalid') && !isStatus(error, 'BadRequest'),
    )
  }

  /** Sets or removes an annotation without meaning, as another client. Resolves with whether there is such an object. */
  touch({ subresource: _, ...target }: Target, value: string | null): Promise<boolean> {
    return this.#asOther(() => this.#deps.client.patch(target, 'merge', { metadata: { annotations: { [TOUCHED]: value } } }))
  }

  /**
   * Makes the operator look at the samples that exist: an event says that another client owns the spec, too. Nothing is changed that an
   * operator may copy, as some do with annotations.
   */
  async nudge(samples: readonly KubeObject[]): Promise<void> {
    const fieldManager = `trial-nudge-${this.#deps.clock.now()}`
    for (const sample of samples) {
      const isSeen = sample.spec !== undefined && (await this.#asOther(() => this.#ownSpec(sample, fieldManager)))
      if (!isSeen) await this.touch(this.#target(sample), fieldManager)
    }
  }

  async #ownSpec(sample: KubeObject, fieldManager: string): Promise<void> {
    const { apiVersion, kind, metadata } = sample
    const target = this.#target(sample)
    // An apply would create it.
    await this.#deps.client.get(target)
    const unchanged = { apiVersion, kind, metadata: { name: metadata.name ?? '' }, spec: {} }
    await this.#deps.client.patch(target, 'apply', unchanged, { fieldManager, force: true })
  }

  /** Does something as another client. Resolves with whether the API server accepts it. */
  async #asOther(change: () => Promise<unknown>): Promise<boolean> {
    const release = this.#deps.clock.busy('a change by another client')
    try {
      await change()
      return true
    } catch (error) {
      if (!isStatus(error)) throw error
      return false
    } finally {
      // The operator goes on first: else time would pass before its write.
      void giveTurn().then(release)
    }
  }

  /** Tries again while a webhook of the operator does not answer, which has just been started. */
  async #untilServed(action: () => Promise<unknown>): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        await action()
        return
      } catch (error) {
        if (tries === MOST_TRIES || !NOT_SERVED.test(messageOf(error))) throw error
        await this.#deps.pass(WEBHOOK_WAIT_MS)
      }
  }

  #target(object: KubeObject): Target {
    return targetOf(object, this.#deps.resources)
  }
}
