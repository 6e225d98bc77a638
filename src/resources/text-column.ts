import type { KubeObject } from '../machinery/object.ts'
import type { PrinterColumn } from '../machinery/resource/definition.ts'

/** A column of text that is always shown, for kinds whose schema is not generated. */
export const textColumn = <T extends KubeObject>(name: string, description: string, cell: (object: T) => string): PrinterColumn => ({
  name,
  type: 'string',
  format: name === 'Name' ? 'name' : '',
  description,
  priority: 0,
  cell: (object) => cell(object as T),
})
