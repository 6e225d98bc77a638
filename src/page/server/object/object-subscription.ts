import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { ResourceRef } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { ControllerReport } from '../../../resources/bowsprit/controller-report.ts'
import type { FieldHistory } from '../../../resources/bowsprit/field-history.ts'
import { CONTROLLER_REPORTS, FIELD_HISTORIES, REQUEST_TRAILS } from '../../../resources/bowsprit/report-refs.ts'
import type { RequestTrail } from '../../../resources/bowsprit/request-trail.ts'
import { CORE_EVENTS } from '../../../resources/refs.ts'
import type { Event } from '../../../resources/types/core.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import type { ObjectPage } from '../../wire/object-page.ts'
import type { KindEntry } from '../../wire/overview.ts'
import { shownText } from '../../wire/shown-text.ts'
import { summaryOf } from '../health/health.ts'
import type { KindCatalogue } from '../kinds/kind-catalogue.ts'
import { createdMs } from '../rows/cell-columns.ts'
import type { Subscription } from '../subscription.ts'
import { controllerPage } from './controller-page.ts'
import { historyEntry, setByOf } from './field-changes.ts'
import { fieldOwners } from './field-owners.ts'
import { followBeside } from './follow-beside.ts'
import { FollowedObject, missingText } from './followed-object.ts'
import { objectEvent } from './object-event.ts'
import { shownObject } from './shown-object.ts'
import { trailPage } from './trail-page.ts'
import { yamlLines } from './yaml-lines.ts'

interface ObjectSubscriptionDeps {
  readonly client: Client
  readonly clock: Clock
  readonly id: number
  readonly catalogue: KindCatalogue
  readonly object: ObjectName
  /** The revision at which it is shown; absent: as it is now. */
  readonly at?: string
  changed(): void
}

/** The most lines of YAML that are sent; an object of 1 MiB has some 40,000. */
const MAX_LINES = 50_000
const MAX_EVENTS = 200
const NO_HISTORY: Pick<FieldHistory, 'changes'> = { changes: [] }

/** One object as it is now, with its events. */
export class ObjectSubscription implements Subscription {
  readonly #deps: ObjectSubscriptionDeps
  readonly #stop = new AbortController()
  #kind: KindEntry | undefined
  #history: Pick<FieldHistory, 'changes'> | undefined
  readonly #events = new Map<string, Event>()
  readonly #followed: FollowedObject

  constructor(deps: ObjectSubscriptionDeps) {
    this.#deps = deps
    this.#followed = new FollowedObject(deps)
    void this.#open().catch((error: unknown) => this.#followed.fail(messageOf(error)))
  }

  stop(): void {
    this.#stop.abort()
  }

  next() {
    const { id, object } = this.#deps
    const followed = this.#followed
    if (followed.object !== undefined && this.#kind !== undefined)
      return { type: 'object', id, page: this.#page(followed.object, this.#kind) } as const
    const message = missingText(followed, object)
    return message === '' ? undefined : ({ type: 'error', id, message } as const)
  }

  async #open(): Promise<void> {
    this.#kind = await this.#deps.catalogue.kind(this.#deps.object)
    if (this.#stop.signal.aborted) return
    this.#followed.follow(this.#kind, this.#stop.signal)
    this.#followEvents(this.#kind)
    await this.#followHistory(this.#kind)
  }

  #followEvents(kind: KindEntry): void {
    const { client, clock, object } = this.#deps
    const fieldSelector = `involvedObject.name=${object.name},involvedObject.kind=${kind.kind}`
    const target = { ...CORE_EVENTS, ...(object.namespace !== '' && { namespace: object.namespace }) }
    const take = (event: Readonly<KubeObject>) => {
      this.#events.set(event.metadata.uid ?? '', event as Event)
      if (this.#events.size > MAX_EVENTS) this.#events.delete(this.#events.keys().next().value ?? '')
      this.#deps.changed()
    }
    followBeside({ client, clock, target, fieldSelector }, take, this.#stop.signal)
  }

  /** Where requests are recorded. */
  async #followHistory(kind: KindEntry): Promise<void> {
    const { client, clock, object, catalogue } = this.#deps
    if (kind.group === FIELD_HISTORIES.group || !(await catalogue.serves(FIELD_HISTORIES))) return
    this.#take(NO_HISTORY)
    const target = { ...FIELD_HISTORIES, namespace: object.namespace || 'default' }
    const resource = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`
    const options = { client, clock, target, fieldSelector: `metadata.name=${resource}:${object.name}` }
    followBeside(options, (history) => this.#take(history as FieldHistory), this.#stop.signal)
  }

  #take({ changes }: Pick<FieldHistory, 'changes'>): void {
    const { at } = this.#deps
    this.#history = { changes: at === undefined ? changes : changes.filter(({ revision }) => BigInt(revision) <= BigInt(at)) }
    this.#deps.changed()
  }

  #page(object: Readonly<KubeObject>, kind: KindEntry): ObjectPage {
    const { managers, roots } = fieldOwners(object)
    const lines = yamlLines(shownObject(object, kind), roots, setByOf(this.#history ?? NO_HISTORY))
    const { tone, health } = summaryOf({ ...object, kind: kind.kind }, this.#deps.clock.now())
    return {
      kind: kind.kind,
      uid: object.metadata.uid ?? '',
      tone,
      health: shownText(health),
      createdMs: createdMs(object) ?? 0,
      managers,
      lines: lines.slice(0, MAX_LINES),
      unsent: Math.max(0, lines.length - MAX_LINES),
      events: [...this.#events.values()].map(objectEvent).sort((a, b) => b.lastMs - a.lastMs),
      history: this.#history?.changes.map(historyEntry) ?? null,
      trail: isReport(kind, REQUEST_TRAILS) ? trailPage(object as RequestTrail) : null,
      controller: isReport(kind, CONTROLLER_REPORTS) ? controllerPage(object as ControllerReport) : null,
      deleted: this.#followed.deleted,
      problem: this.#followed.problem,
    }
  }
}

const isReport = ({ group, resource }: KindEntry, report: ResourceRef) => group === report.group && resource === report.resource
