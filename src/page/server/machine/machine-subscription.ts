import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { NodeReport } from '../../../resources/bowsprit/node-report.ts'
import { NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { MachinePage } from '../../wire/machine-page.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import type { Subscription } from '../subscription.ts'
import { machinePage } from './machine-page.ts'

interface MachineSubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly clock: Clock
  readonly object: ObjectName
  changed(): void
}

/** The cluster is asked again this often. */
const ASK_MS = 2_000
const REPORTS = { group: 'bowsprit.dev', version: 'v1', resource: 'nodereports' }

/** A node: its parts, and which pod has them. */
export class MachineSubscription implements Subscription {
  readonly #deps: MachineSubscriptionDeps
  readonly #stop = new AbortController()
  #page: MachinePage | undefined
  #problem = ''
  #cancel = () => {}

  constructor(deps: MachineSubscriptionDeps) {
    this.#deps = deps
    void this.#ask()
  }

  next() {
    const { id } = this.#deps
    if (this.#problem !== '') return { type: 'error', id, message: this.#problem } as const
    return this.#page && ({ type: 'machine', id, page: this.#page } as const)
  }

  stop(): void {
    this.#stop.abort()
    this.#cancel()
  }

  async #ask(): Promise<void> {
    const { clock, changed } = this.#deps
    const before = JSON.stringify([this.#page, this.#problem])
    try {
      this.#page = await this.#read()
      this.#problem = ''
    } catch (error) {
      this.#problem = messageOf(error)
    }
    if (this.#stop.signal.aborted) return
    if (JSON.stringify([this.#page, this.#problem]) !== before) changed()
    this.#cancel = clock.after(ASK_MS, () => void this.#ask())
  }

  /** What may not be read, or is not served, is left out; the node is not. */
  async #read(): Promise<MachinePage> {
    const { client, clock, object } = this.#deps
    const { name } = object
    const options = { signal: this.#stop.signal }
    const onNode = { fieldSelector: `spec.nodeName=${name}`, ...options }
    const [node, pods, slices, claims, report] = await Promise.all([
      client.get({ ...NODES, name }, options),
      client.list(PODS, onNode).then(({ items }) => items),
      itemsOf(client.list(RESOURCE_SLICES, onNode)),
      itemsOf(client.list(RESOURCE_CLAIMS, options)),
      unlessRefused(client.get({ ...REPORTS, name }, options)),
    ])
    return machinePage({ node, pods, slices, claims, report: report as NodeReport | undefined }, clock.now())
  }
}

async function itemsOf<T extends KubeObject>(list: Promise<{ readonly items: readonly T[] }>): Promise<readonly T[]> {
  return (await unlessRefused(list))?.items ?? []
}

async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isStatus(error)) return undefined
    throw error
  }
}
