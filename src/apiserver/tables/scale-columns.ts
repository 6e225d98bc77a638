import { age } from '../../machinery/human-duration.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { PrinterColumn } from '../../machinery/resource/definition.ts'
import type { Kinds } from '../kinds.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const SCALE = 'io.k8s.api.autoscaling.v1.Scale'

/** `autoscaling/v1 Scale`, as far as its columns show it. */
type ScaleObject = KubeObject<{ readonly replicas?: number }, { readonly replicas?: number }>

type ScaleColumn = Pick<PrinterColumn<ScaleObject>, 'name' | 'type' | 'cell'> & Partial<Pick<PrinterColumn, 'format'>>

/** The columns of a scale. Those of custom kinds are declared by another part of Kubernetes, in other words. */
export function scaleColumns(kinds: Kinds, { isCustom }: { readonly isCustom: boolean }): readonly PrinterColumn[] {
  const column = (shown: ScaleColumn, description: () => string | undefined): PrinterColumn => ({
    format: '',
    priority: 0,
    ...shown,
    get description() {
      return description() ?? ''
    },
  })
  const fieldOf = (type: string, field: string) => () => kinds.documentation(type)[field]
  const replicas = (part: 'Spec' | 'Status', custom: string) => (isCustom ? () => custom : fieldOf(`${SCALE}${part}`, 'replicas'))
  return [
    column({ name: 'Name', type: 'string', format: isCustom ? 'name' : '', cell: (o) => o.metadata.name ?? '' }, fieldOf(META, 'name')),
    column({ name: 'Desired', type: 'integer', cell: (o) => o.spec?.replicas ?? 0 }, replicas('Spec', 'Number of desired replicas')),
    column({ name: 'Available', type: 'integer', cell: (o) => o.status?.replicas ?? 0 }, replicas('Status', 'Number of actual replicas')),
    column(
      { name: 'Age', type: isCustom ? 'date' : 'string', cell: (o, now) => age(o.metadata.creationTimestamp, now) },
      fieldOf(META, 'creationTimestamp'),
    ),
  ]
}
