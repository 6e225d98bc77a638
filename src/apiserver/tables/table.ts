import type { KubeObject } from '../../machinery/object.ts'
import type { PrinterColumn } from '../../machinery/resource/definition.ts'

/** How much of each object a row carries: `includeObject`. */
export type RowObject = 'None' | 'Metadata' | 'Object'

export interface PrintedRow {
  readonly cells: readonly unknown[]
  readonly object: unknown
}

/** Columns, as a Table declares them. */
export function columnDefinitions(columns: readonly PrinterColumn[]) {
  return columns.map((c) => ({ name: c.name, type: c.type, format: c.format, description: c.description, priority: c.priority }))
}

/** One row. */
export function tableRow(
  columns: readonly PrinterColumn[],
  object: KubeObject,
  now: number,
  options: { readonly include: RowObject; readonly metaVersion: string },
): PrintedRow {
  const cells = columns.map((c) => c.cell(object, now))
  if (options.include === 'None') return { cells, object: null }
  return { cells, object: options.include === 'Object' ? object : partialMetadata(object, options.metaVersion) }
}

/** `PartialObjectMetadata` of an object. */
export function partialMetadata(object: KubeObject, metaVersion: string) {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${metaVersion}`, metadata: object.metadata }
}
