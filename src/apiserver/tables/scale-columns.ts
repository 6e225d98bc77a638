import type { PrinterColumn } from '../../machinery/resource/definition.ts'
import { age } from '../../resources/cells.ts'
import { documentation } from '../../resources/documentation.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const SCALE = 'io.k8s.api.autoscaling.v1.Scale'

function column(name: string, type: PrinterColumn['type'], from: readonly [string, string], cell: PrinterColumn['cell']): PrinterColumn {
  return {
    name,
    type,
    format: '',
    priority: 0,
    cell,
    get description() {
      return documentation(from[0])[from[1]] ?? ''
    },
  }
}

/** The columns of a scale, whatever it is the scale of. */
export const SCALE_COLUMNS: readonly PrinterColumn[] = [
  column('Name', 'string', [META, 'name'], (o) => o.metadata.name ?? ''),
  column('Desired', 'integer', [`${SCALE}Spec`, 'replicas'], (o) => o.spec?.replicas ?? 0),
  column('Available', 'integer', [`${SCALE}Status`, 'replicas'], (o) => o.status?.replicas ?? 0),
  column('Age', 'string', [META, 'creationTimestamp'], (o, now) => age(o.metadata.creationTimestamp, now)),
]
