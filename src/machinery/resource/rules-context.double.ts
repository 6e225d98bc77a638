import { seededRandom } from '../../base/random.ts'
import type { RulesContext } from './definition.ts'

/** The context of a plain request on an empty server, for tests; `own` replaces parts of it. */
export const rulesContext = (own: Partial<RulesContext> = {}): RulesContext => ({
  now: 0,
  random: seededRandom(1),
  user: { name: 'u', groups: [] },
  dryRun: false,
  subresource: '',
  apiVersion: 'v1',
  warn: () => {},
  reader: { get: () => undefined, list: () => [] },
  ...own,
})
