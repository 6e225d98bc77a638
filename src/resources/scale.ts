import type { Subresource } from '../machinery/resource/definition.ts'

/** The scale subresource of kinds with `spec.replicas` and `spec.selector`. */
export const SCALE = {
  kind: 'scale',
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
} as const satisfies Subresource
