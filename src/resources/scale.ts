import type { Subresource } from '../machinery/resource/definition.ts'

/** `/scale` of whatever keeps `spec.replicas` of its pods, found by `spec.selector`. */
export const SCALE = {
  kind: 'scale',
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
} as const satisfies Subresource
