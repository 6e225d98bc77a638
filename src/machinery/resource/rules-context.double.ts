import { seededRandom } from '../../base/random.ts'
import type { RulesContext } from './definition.ts'
import { OFFLINE_CONTEXT } from './offline-context.ts'

/** The context of a plain request on an empty server, for tests; `own` replaces parts of it. */
export const rulesContext = (own: Partial<RulesContext> = {}): RulesContext => ({
  ...OFFLINE_CONTEXT,
  random: seededRandom(1),
  user: { name: 'u', groups: [] },
  ...own,
})
