import type { CollectionName } from '../../wire/object-name.ts'
import type { RowsQuery } from '../../wire/row-page.ts'

/** The kind of recorded requests, which have a view of their own. */
export const TRAILS: CollectionName = { group: 'bowsprit.dev', version: 'v1', resource: 'requesttrails' }

const isReports = (reports: string) => (of: CollectionName) => of.group === TRAILS.group && of.resource === reports
export const isTrails = isReports(TRAILS.resource)
export const isWatches = isReports('watchreports')
export const isQueue = isReports('queuereports')

/** The column of what is watched. */
export const WATCH_TARGET = 2

/** Selects what was meant to change something: no dry runs (the editor sends many), heartbeats, events, or reports of operators. */
export const WRITES =
  'verb!=get,verb!=list,verb!=watch,target.group!=bowsprit.dev,target.resource!=events,query.dryRun!=All,heartbeat!=true'

/**
 * Selects requests that were refused: by rights, by validation, by a webhook or policy. What is missing, or was changed meanwhile, is
 * usual.
 */
const REFUSED = 'state=failed,code!=404,code!=409,code!=410,query.dryRun!=All'

/** The columns of requests. */
export const TRAIL_CELLS = { verb: 1, target: 2, user: 3, code: 4, age: 6, revision: 7, message: 8 } as const

const ALL = { namespace: '', labelSelector: '', fieldSelector: '', filter: '', sort: -1, descending: false, from: 0 } as const

/** The first of the reports of a kind. */
export const reportsOf = (resource: string, count: number): RowsQuery => ({ ...TRAILS, resource, ...ALL, count })

/** The latest of some requests. */
const latest = (count: number, selected: Pick<RowsQuery, 'fieldSelector' | 'filter'>): RowsQuery => ({
  ...TRAILS,
  ...ALL,
  sort: TRAIL_CELLS.age,
  descending: true,
  count,
  ...selected,
})

/** The last writes, of all, or of those that have these words. */
export const lastWrites = (count: number, words = ''): RowsQuery => latest(count, { fieldSelector: WRITES, filter: words })

export const lastRefusals = (count: number): RowsQuery => latest(count, { fieldSelector: REFUSED, filter: '' })
