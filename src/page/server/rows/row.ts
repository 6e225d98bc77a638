import { getOwn, type KubeObject } from '../../../machinery/object.ts'
import type { Tone } from '../../wire/object-name.ts'
import type { Cell } from '../../wire/row-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import { summaryOf } from '../health/health.ts'
import { type CellColumn, createdMs } from './cell-columns.ts'

/** What the page keeps of an object: some hundred bytes, for there may be 100,000. Changed in place, so that sorted lists stay valid. */
export interface Row {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  /** The order of rows without another: namespace, then name. */
  readonly key: string
  cells: readonly Cell[]
  tone: Tone
  health: string
  /** Lower case: what a filter looks at. */
  text: string
  /** Lower case: by what it is found among all kinds: namespace, name, labels. */
  foundBy: string
  owners: readonly string[]
  /** 0: not known. */
  readonly createdMs: number
  /** Kept where cells grow stale by themselves (`3 (5m ago)`). */
  object: KubeObject | undefined
}

/** The most characters of a cell. */
const MAX_CELL = 300

/** Identifies an object of a collection: reports have no uid. */
export const rowId = ({ metadata: { uid, namespace = '', name = '' } }: KubeObject): string => uid ?? `${namespace}/${name}`

/** The row of an object; of a known row the same one, changed. `nowMs` is the time of the cluster. */
export function rowOf(object: KubeObject, columns: readonly CellColumn[], nowMs: number, known?: Row): Row {
  const { namespace = '', name = '', labels, ownerReferences } = object.metadata
  const row: Row = known ?? {
    uid: rowId(object),
    namespace,
    name,
    key: `${namespace}\u0000${name}`,
    cells: [],
    tone: '',
    health: '',
    text: '',
    foundBy: '',
    owners: [],
    createdMs: createdMs(object) ?? 0,
    object: undefined,
  }
  const { tone, health } = summaryOf(object, nowMs)
  row.cells = cellsOf(object, columns, nowMs)
  row.tone = tone
  row.health = shownText(health, MAX_CELL)
  row.owners = ownerReferences?.map((owner) => owner.uid) ?? NO_OWNERS
  const labelled = labels === undefined ? '' : labelText(labels)
  row.text = `${namespace} ${row.cells.join(' ')} ${labelled}`.toLowerCase()
  row.foundBy = `${namespace} ${name} ${labelled}`.toLowerCase()
  row.object = columns.some((column) => column.growsStale) ? object : undefined
  return row
}

const NO_OWNERS: readonly string[] = Object.freeze([])

const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.keys(labels)
    .map((key) => `${key}=${getOwn(labels, key)}`)
    .join(' ')

export function cellsOf(object: KubeObject, columns: readonly CellColumn[], nowMs: number): readonly Cell[] {
  return columns.map((column) => {
    const cell = column.cell(object, nowMs)
    return typeof cell === 'string' ? shownText(cell, MAX_CELL) : cell
  })
}
