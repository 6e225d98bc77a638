import type { Clock } from '../../../base/clock.ts'
import type { KindEntry } from '../../wire/overview.ts'
import { PolledSubscription } from '../polled-subscription.ts'
import type { KindCatalogue } from './kind-catalogue.ts'

interface KindsSubscriptionDeps {
  readonly id: number
  readonly catalogue: KindCatalogue
  readonly clock: Clock
  changed(): void
}

/** Discovery is read this often. */
const READ_MS = 3_000

/** The kinds that the cluster serves. */
export const kindsSubscription = ({ id, catalogue, clock, changed }: KindsSubscriptionDeps) =>
  new PolledSubscription<readonly KindEntry[]>({
    clock,
    everyMs: READ_MS,
    changed,
    read: () => catalogue.kinds(),
    message: (kinds, problem) => (problem === '' ? kinds && { type: 'kinds', id, kinds } : { type: 'error', id, message: problem }),
  })
