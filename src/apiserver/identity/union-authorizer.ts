import { SYSTEM_MASTERS } from '../../machinery/resource/user.ts'
import { ALLOWED, type Attributes, type Authorizer, type Decision, NO_OPINION } from './authorizer.ts'

/** Everything is allowed to `system:masters`. */
export const mastersAuthorizer: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(SYSTEM_MASTERS) ? ALLOWED : NO_OPINION),
}

/** Asks each in turn; the first that allows or denies decides. When nobody does, the reasons of all are joined. Stays synchronous while they are. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  const ask = (from: number, attributes: Attributes, reasons: string[]): Decision | Promise<Decision> => {
    for (let i = from; i < authorizers.length; i++) {
      const decision = authorizers[i]?.authorize(attributes) ?? NO_OPINION
      if (decision instanceof Promise) {
        return decision.then((d) =>
          d.verdict !== 'no-opinion' ? d : ask(i + 1, attributes, d.reason === '' ? reasons : [...reasons, d.reason]),
        )
      }
      if (decision.verdict !== 'no-opinion') return decision
      if (decision.reason !== '') reasons.push(decision.reason)
    }
    return reasons.length === 0 ? NO_OPINION : { verdict: 'no-opinion', reason: reasons.join('\n') }
  }
  return { authorize: (attributes) => ask(0, attributes, []) }
}
