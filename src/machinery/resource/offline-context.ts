import { seededRandom } from '../../base/random.ts'
import type { RulesContext } from './definition.ts'

/** The context of rules that run outside of a server: there are no other objects, and warnings go nowhere. */
export const OFFLINE_CONTEXT: RulesContext = {
  now: 0,
  random: seededRandom(1),
  user: { name: '', groups: [] },
  dryRun: false,
  subresource: '',
  apiVersion: 'v1',
  warn: () => {},
  reader: { get: () => undefined, list: () => [] },
}
