import { seededRandom } from '../../base/random.ts'
import type { RulesContext } from './definition.ts'

/** What rules know of a request, where a test says nothing of it: a plain one by somebody, on a server that holds nothing. */
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
