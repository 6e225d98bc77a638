import { atOnce, inTurns, type Later } from '../../base/steps.ts'
import type { KubeObject } from '../object.ts'
import type { ResourceRules } from './definition.ts'

type Defaults = Pick<ResourceRules, 'defaults'>

/** Fills in the defaults of a decoded object: now, or in turns of the event loop where there are many. */
export function applyDefaults({ defaults }: Defaults, draft: KubeObject): Later<void> {
  const steps = defaults?.(draft)
  if (steps && steps.next().done !== true) return inTurns(steps)
}

/** The same for callers that cannot wait: an object that was stored once, with its defaults. */
export function applyDefaultsAtOnce({ defaults }: Defaults, draft: KubeObject): void {
  const steps = defaults?.(draft)
  if (steps) atOnce(steps)
}
