import { messageOf } from '../../../base/message-of.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ForkEntry, LabPage } from '../../wire/lab-page.ts'
import type { ClientMessage } from '../../wire/messages.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { KindCatalogue } from '../kinds/kind-catalogue.ts'
import type { Subscription } from '../subscription.ts'
import { forkDifferences, MAX_DIFFERENCES } from './fork-diff.ts'
import type { Fork, Forks } from './forks.ts'

interface LabSubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly catalogue: KindCatalogue
  readonly forks: Forks | undefined
  readonly canAdvance: boolean
  changed(): void
}

/** The forks, and how they differ from the cluster: compared when the view is opened, when a fork is made, and when it is asked for. */
export class LabSubscription implements Subscription {
  readonly #deps: LabSubscriptionDeps
  readonly #stopListening: () => void
  readonly #compared = new Map<string, Pick<ForkEntry, 'differences' | 'problem'>>()
  #stopped = false

  constructor(deps: LabSubscriptionDeps) {
    this.#deps = deps
    this.#stopListening = deps.forks?.onChange(() => this.#compareNew()) ?? (() => {})
    this.#compareNew()
  }

  /** The same question again: how the forks differ now. */
  ask(message: ClientMessage): boolean {
    if (message.type !== 'lab') return false
    this.#compared.clear()
    this.#compareNew()
    return true
  }

  next() {
    const { id, forks, canAdvance } = this.#deps
    const page: LabPage = { canFork: forks !== undefined, canAdvance, forks: forks?.list().map((fork) => this.#entryOf(fork)) ?? [] }
    return { type: 'lab', id, page } as const
  }

  stop(): void {
    this.#stopped = true
    this.#stopListening()
  }

  #entryOf({ name, about, createdMs }: Fork): ForkEntry {
    const { differences = null, problem = '' } = this.#compared.get(name) ?? {}
    const more = Math.max(0, (differences?.length ?? 0) - MAX_DIFFERENCES)
    return {
      name,
      about: shownText(about),
      createdMs,
      differences: differences?.slice(0, MAX_DIFFERENCES) ?? null,
      hasMore: more > 0,
      problem,
    }
  }

  #compareNew(): void {
    this.#deps.changed()
    for (const fork of this.#deps.forks?.list() ?? []) if (!this.#compared.has(fork.name)) void this.#compare(fork)
  }

  async #compare({ name, client }: Fork): Promise<void> {
    this.#compared.set(name, { differences: null, problem: '' })
    const take = (compared: Pick<ForkEntry, 'differences' | 'problem'>) => {
      if (this.#stopped) return
      this.#compared.set(name, compared)
      this.#deps.changed()
    }
    try {
      const kinds = await this.#deps.catalogue.kinds()
      take({ differences: await forkDifferences(this.#deps.client, client, kinds), problem: '' })
    } catch (error) {
      take({ differences: null, problem: shownText(messageOf(error)) })
    }
  }
}
