import type { Later } from '../../base/steps.ts'
import { joinErrors } from '../../machinery/join-errors.ts'
import { SYSTEM_MASTERS } from '../../machinery/resource/user.ts'
import { ALLOWED, type Attributes, type Authorizer, type Decision, NO_OPINION } from './authorizer.ts'

/** Allows everything to `system:masters`. */
export const mastersAuthorizer: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(SYSTEM_MASTERS) ? ALLOWED : NO_OPINION),
}

/**
 * Asks each authorizer in turn; the first that allows or denies decides. If none does, all reasons and all errors are joined. Synchronous
 * as long as the authorizers are.
 */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  const ask = (from: number, attributes: Attributes, before: readonly Decision[]): Later<Decision> => {
    let undecided = before
    for (let i = from; i < authorizers.length; i++) {
      const decision = authorizers[i]?.authorize(attributes) ?? NO_OPINION
      if (decision instanceof Promise) {
        const earlier = undecided
        return decision.then((d) => (d.verdict !== 'no-opinion' ? d : ask(i + 1, attributes, including(earlier, d))))
      }
      if (decision.verdict !== 'no-opinion') return decision
      undecided = including(undecided, decision)
    }
    return joined(undecided)
  }
  return { authorize: (attributes) => ask(0, attributes, NONE) }
}

const NONE: readonly Decision[] = []

/** The decisions that have a reason or an error: most have neither. */
const including = (before: readonly Decision[], decision: Decision): readonly Decision[] =>
  decision.reason === '' && decision.error === undefined ? before : [...before, decision]

function joined(undecided: readonly Decision[]): Decision {
  if (undecided.length === 0) return NO_OPINION
  const reasons = undecided.flatMap((d) => (d.reason === '' ? [] : [d.reason]))
  const errors = undecided.flatMap((d) => (d.error === undefined ? [] : [d.error]))
  return { verdict: 'no-opinion', reason: reasons.join('\n'), ...(errors.length === 0 ? {} : { error: joinErrors(errors) }) }
}
