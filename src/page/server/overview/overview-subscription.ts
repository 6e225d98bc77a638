import type { Event } from '../../../resources/types/core.ts'
import type { ObjectSummary } from '../../wire/object-name.ts'
import type { ClusterWarning, KindCount, ObjectChange, Overview } from '../../wire/overview.ts'
import { shownText } from '../../wire/shown-text.ts'
import { objectEvent } from '../object/object-event.ts'
import type { Collection } from '../rows/collection.ts'
import type { Row } from '../rows/row.ts'
import type { ClusterIndex } from './cluster-index.ts'
import { IndexSubscription } from './index-subscription.ts'

const MAX_UNHAPPY = 100
const MAX_CHANGES = 60
const MAX_WARNINGS = 30
const RECENT_MS = 10 * 60_000

/** What is unhappy, what just changed, and how many objects there are of each kind. */
export class OverviewSubscription extends IndexSubscription {
  /** All rows are counted for each message. */
  readonly everyMs = 300
  readonly #id: number
  /** By uid; the latest change is the last. */
  readonly #changes = new Map<string, ObjectChange>()

  constructor(index: ClusterIndex, id: number, changed: () => void) {
    super(index, changed)
    this.#id = id
  }

  next() {
    return { type: 'overview', id: this.#id, overview: this.#overview() } as const
  }

  protected override saw(collection: Collection, row: Row | undefined, change: ObjectChange['change']): void {
    if (row === undefined || collection.loading || collection.deps.kind.resource === 'events') return
    this.#changes.delete(row.uid)
    this.#changes.set(row.uid, { ...summaryOfRow(collection, row), change, timeMs: collection.deps.clock.now() })
    if (this.#changes.size > MAX_CHANGES) this.#changes.delete(this.#changes.keys().next().value ?? '')
  }

  #overview(): Overview {
    const counts: KindCount[] = []
    const unhappy: ObjectSummary[] = []
    let bad = 0
    for (const collection of this.index.collections) {
      if (isEvents(collection)) continue
      const found = unhappyRows(collection)
      bad += found.length
      unhappy.push(...found.slice(0, MAX_UNHAPPY).map((row) => summaryOfRow(collection, row)))
      if (collection.rows.size > 0) counts.push({ ...collection.deps.kind, count: collection.rows.size, bad: found.length })
    }
    return {
      loading: this.index.loading,
      counts: counts.sort((a, b) => (a.kind < b.kind ? -1 : 1)),
      unhappy: unhappy.slice(0, MAX_UNHAPPY),
      moreUnhappy: bad - Math.min(bad, MAX_UNHAPPY),
      changes: [...[...this.#changes.values()].reverse(), ...this.#created()].slice(0, MAX_CHANGES),
      warnings: this.#warnings(),
      problems: this.#problems(),
    }
  }

  /** What was created shortly before the view was opened. */
  #created(): readonly ObjectChange[] {
    const created: ObjectChange[] = []
    for (const collection of this.index.collections) {
      if (isEvents(collection)) continue
      const sinceMs = collection.deps.clock.now() - RECENT_MS
      for (const row of collection.rows.values())
        if (row.createdMs > sinceMs && !this.#changes.has(row.uid))
          created.push({ ...summaryOfRow(collection, row), change: 'created', timeMs: row.createdMs })
    }
    return created.sort((a, b) => b.timeMs - a.timeMs)
  }

  #warnings(): readonly ClusterWarning[] {
    const events = this.index.collections.find(isEvents)
    const warnings = [...(events?.rows.values() ?? [])].filter(({ tone }) => tone === 'bad').map(({ object }) => object as Event)
    return warnings
      .map(warningOf)
      .sort((a, b) => b.lastMs - a.lastMs)
      .slice(0, MAX_WARNINGS)
  }

  #problems(): readonly string[] {
    const problems = this.index.collections.filter(({ problem }) => problem !== '')
    const texts = problems.map(({ problem, deps }) => `${deps.kind.resource}: ${problem}`)
    return this.index.problem === '' ? texts : [this.index.problem, ...texts]
  }
}

const isEvents = ({ deps: { kind } }: Collection) => kind.resource === 'events' && kind.group === ''

const unhappyRows = ({ rows }: Collection): readonly Row[] => [...rows.values()].filter(({ tone }) => tone === 'bad')

export const summaryOfRow = ({ deps: { kind } }: Collection, { namespace, name, tone, health }: Row): ObjectSummary => ({
  group: kind.group,
  version: kind.version,
  resource: kind.resource,
  kind: kind.kind,
  namespace,
  name,
  tone,
  health,
})

function warningOf(event: Event): ClusterWarning {
  const { apiVersion = '', kind = '', namespace = '', name = '' } = event.involvedObject
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return {
    ...objectEvent(event),
    kind: shownText(kind, 100),
    about: { group, version, resource: '', namespace, name: shownText(name, 300) },
  }
}
