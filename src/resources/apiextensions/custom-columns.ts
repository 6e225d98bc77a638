import { humanDuration } from '../../machinery/human-duration.ts'
import { compileJsonPath, JsonPathError } from '../../machinery/json/jsonpath.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import type { Json, KubeObject } from '../../machinery/object.ts'
import type { PrinterColumn } from '../../machinery/resource/definition.ts'
import { RowBudget } from '../../machinery/resource/row-budget.ts'
import { goPrint } from '../../machinery/schema/go-print.ts'
import { sortedKeys } from '../../machinery/sorted-keys.ts'
import { documentation } from '../documentation.ts'
import type { Column } from './types.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

const NAME: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  get description() {
    return documentation(META).name ?? ''
  },
  cell: (object) => object.metadata.name ?? '',
}

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  priority: 0,
  get description() {
    return documentation(META).creationTimestamp ?? ''
  },
  cell: (object, now) => dateCell(object.metadata.creationTimestamp ?? null, now),
}

/** The columns of a custom kind: its name, and those of its definition, or the age by default. */
export function customColumns(columns: readonly Column[] | undefined): readonly PrinterColumn[] {
  if (columns === undefined || columns === null || columns.length === 0) return [NAME, AGE]
  const made: PrinterColumn[] = [NAME]
  for (const column of columns) {
    const cell = cellOf(column)
    // Kubernetes shows the columns before an invalid path.
    if (cell === undefined) return made
    made.push({
      name: column.name,
      type: column.type as PrinterColumn['type'],
      format: (column.format ?? '') as PrinterColumn['format'],
      priority: column.priority ?? 0,
      description: column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
      cell,
    })
  }
  return made
}

function cellOf({ jsonPath, type }: Column): PrinterColumn['cell'] | undefined {
  try {
    const path = compileJsonPath(jsonPath)
    return (object, now, row = new RowBudget()) => cellFor(type, path.first(object as unknown as Json, row.visits), now, row)
  } catch (error) {
    if (error instanceof JsonPathError) return undefined
    throw error
  }
}

function cellFor(type: string, value: Json | undefined, now: number, row: RowBudget): ReturnType<PrinterColumn['cell']> {
  if (value === undefined || (value === null && type !== 'string')) return null
  switch (type) {
    case 'string':
      return row.text(() => textCell(value)) ?? null
    case 'integer':
      return typeof value === 'number' ? toInt64(value) : typeof value === 'bigint' ? value : null
    case 'number':
      return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null
    default:
      return null
  }
}

/** Lists and maps as JSON, scalars as Go prints them. A number that Kubernetes stores as `1000000000000000000` is an integer to it. */
function textCell(value: Json): string {
  if (value === null) return '<no value>'
  if (typeof value === 'number' && Number.isInteger(value)) return goPrint(toInt64(value) === value ? BigInt(value) : value)
  return typeof value === 'object' ? encodeJson(sortedKeys(value), { html: true }) : goPrint(value)
}

/** What Go makes of a number that no int64 holds. */
const LEAST_INT64 = -(2n ** 63n)

const toInt64 = (value: number): number | bigint => (Math.abs(value) < 2 ** 63 ? Math.trunc(value) : LEAST_INT64)

/** Go's zero time, and a text that it reads as such. */
const ZERO_TIMES: readonly string[] = ['', '0001-01-01T00:00:00Z']

function dateCell(text: string | null, now: number): string | null {
  if (text === null) return null
  if (ZERO_TIMES.includes(text)) return '<unknown>'
  const at = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? '<invalid>' : humanDuration(now - at)
}

/** The value of a field for field selectors: scalars as text. */
export function fieldText(path: string): (object: KubeObject) => string {
  const steps = path.replace(/^\./, '').split('.')
  return (object) => {
    let value: unknown = object
    for (const name of steps) {
      if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return ''
      value = (value as Record<string, unknown>)[name]
    }
    return value === null || value === undefined || typeof value === 'object' ? '' : String(value)
  }
}
