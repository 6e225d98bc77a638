import { age } from '../../machinery/human-duration.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { PrinterColumn } from '../../machinery/resource/definition.ts'
import type { Kinds } from '../kinds.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const SCALE = 'io.k8s.api.autoscaling.v1.Scale'

/** `autoscaling/v1 Scale`, as far as its columns show it. */
type ScaleObject = KubeObject<{ readonly replicas?: number }, { readonly replicas?: number }>

/** The columns of a scale, for every resource. */
export function scaleColumns(kinds: Kinds): readonly PrinterColumn[] {
  const column = (
    name: string,
    type: PrinterColumn['type'],
    of: readonly [string, string],
    cell: PrinterColumn<ScaleObject>['cell'],
  ): PrinterColumn => ({
    name,
    type,
    format: '',
    priority: 0,
    cell,
    get description() {
      return kinds.documentation(of[0])[of[1]] ?? ''
    },
  })
  return [
    column('Name', 'string', [META, 'name'], (o) => o.metadata.name ?? ''),
    column('Desired', 'integer', [`${SCALE}Spec`, 'replicas'], (o) => o.spec?.replicas ?? 0),
    column('Available', 'integer', [`${SCALE}Status`, 'replicas'], (o) => o.status?.replicas ?? 0),
    column('Age', 'string', [META, 'creationTimestamp'], (o, now) => age(o.metadata.creationTimestamp, now)),
  ]
}
