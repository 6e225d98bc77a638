import { type Family, labels, type Sample } from '../../base/exposition.ts'
import { ALL_GATES } from './feature-gates.ts'
import type { FeatureOptions } from './features.ts'

/** `kubernetes_feature_enabled`: every feature gate, with its stage and whether it is on. */
export function gateFamily({ gates, unusualGates }: Pick<FeatureOptions, 'gates' | 'unusualGates'>): Family {
  const changed = new Set([...gates, ...unusualGates])
  return {
    name: 'kubernetes_feature_enabled',
    type: 'gauge',
    help: 'Whether a feature gate is on.',
    samples: ALL_GATES.map(({ name, stage, on }): Sample => [labels({ name, stage }), Number(on !== changed.has(name))]),
  }
}
