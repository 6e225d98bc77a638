import type { KubeObject } from '../../machinery/object.ts'
import type { PrinterColumn, ResourceDefinition, RowCondition } from '../../machinery/resource/definition.ts'
import { inGoOrder } from '../../machinery/resource/go-order.ts'
import { RowBudget } from '../../machinery/resource/row-budget.ts'

/** How much of each object a row carries: `includeObject`. */
export type RowObject = 'None' | 'Metadata' | 'Object'

export interface PrintedRow {
  readonly cells: readonly unknown[]
  readonly conditions?: readonly RowCondition[]
  readonly object: unknown
}

/** Columns, as a Table declares them. */
export function columnDefinitions(columns: readonly PrinterColumn[]) {
  const declared = columns.filter((c) => c.declared !== false)
  return declared.map((c) => ({ name: c.name, type: c.type, format: c.format, description: c.description, priority: c.priority }))
}

export interface RowOptions {
  readonly include: RowObject
  readonly metaVersion: string
  readonly definition: Pick<ResourceDefinition, 'group' | 'rowConditions' | 'internalMetadata' | 'customDefinition'>
}

/** One row. */
export function tableRow(columns: readonly PrinterColumn[], object: KubeObject, now: number, options: RowOptions): PrintedRow {
  const head = rowHead(columns, object, now, options.definition)
  if (options.include === 'None') return { ...head, object: null }
  if (options.include === 'Object') return { ...head, object: inGoOrder(object, options.definition) }
  return { ...head, object: partialMetadata(object, options.metaVersion, options.definition) }
}

/** A row without its object. */
export function rowHead(
  columns: readonly PrinterColumn[],
  object: KubeObject,
  now: number,
  definition: Pick<ResourceDefinition, 'rowConditions'>,
): Omit<PrintedRow, 'object'> {
  const row = new RowBudget()
  const cells = columns.map((c) => c.cell(object, now, row))
  const conditions = definition.rowConditions?.(object) ?? []
  return conditions.length === 0 ? { cells } : { cells, conditions }
}

/** `PartialObjectMetadata` of an object. */
export function partialMetadata(
  object: KubeObject,
  metaVersion: string,
  { internalMetadata }: Pick<ResourceDefinition, 'internalMetadata'>,
) {
  const metadata = internalMetadata?.(object) ?? object.metadata
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${metaVersion}`, metadata }
}
