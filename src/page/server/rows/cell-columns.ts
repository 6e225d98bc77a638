import type { KubeObject } from '../../../machinery/object.ts'
import type { PrinterColumn } from '../../../machinery/resource/definition.ts'
import type { RequestTrail } from '../../../resources/bowsprit/request-trail.ts'
import type { Cell, ColumnHead } from '../../wire/row-page.ts'

/** A column of the page, made from one of a Table. */
export interface CellColumn {
  readonly head: ColumnHead
  /** The cell tells a span until now, other than the age: it has to be made anew while it is looked at. */
  readonly growsStale: boolean
  cell(object: KubeObject, nowMs: number): Cell
}

/** Columns of Tables that tell spans until now, by their names (`kubectl get` prints the same). */
const SPANS = new Set(['Last Seen', 'First Seen', 'Last Schedule', 'Duration', 'Restarts'])

/** The columns of the page for those of a Table. The age becomes a time, which the browser counts from. */
export function cellColumns(columns: readonly PrinterColumn[]): readonly CellColumn[] {
  return columns.map((column) => {
    const { name, description, priority } = column
    const isAge = name === 'Age'
    const isNumber = column.type === 'integer' || column.type === 'number'
    const head: ColumnHead = { name, type: isAge ? 'time' : isNumber ? 'number' : 'text', description, wide: priority > 0 }
    if (isAge) return { head, growsStale: false, cell: createdMs }
    return { head, growsStale: SPANS.has(name) || column.type === 'date', cell: (object, nowMs) => cellOf(column, object, nowMs) }
  })
}

/** When it was created; of a request when it arrived, which is known more exactly. */
export const createdMs = (object: KubeObject): number | null => {
  const { receivedAt } = object as Partial<RequestTrail>
  const at = Date.parse(receivedAt ?? object.metadata.creationTimestamp ?? '')
  return Number.isNaN(at) ? null : at
}

/** Objects of other servers may lack what the column reads: one odd object must not end the list. */
function cellOf(column: PrinterColumn, object: KubeObject, nowMs: number): Cell {
  try {
    const cell = column.cell(object, nowMs)
    // The browser's JSON has no numbers of 64 bits.
    return typeof cell === 'bigint' ? String(cell) : cell
  } catch {
    return '<unreadable>'
  }
}
