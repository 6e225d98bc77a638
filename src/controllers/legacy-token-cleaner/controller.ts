import { PODS, SECRETS, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { CreateController } from '../frame/controller.ts'
import { definePeriodicController } from '../frame/periodic-controller.ts'
import { cleanLegacyTokens } from './clean.ts'

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/**
 * Once a day: tokens that were generated for accounts (before 1.24) and not used for a year are invalidated, and deleted a year later.
 * `periodMs` is that year.
 */
export const createLegacyTokenCleaner = (periodMs: number): CreateController =>
  definePeriodicController({
    name: 'legacy-service-account-token-cleaner',
    periodMs: DAY_MS,
    deps: ({ client, clock, informers, log }) => ({
      client,
      clock,
      log,
      periodMs,
      secrets: informers.of(SECRETS),
      accounts: informers.of(SERVICE_ACCOUNTS),
      pods: informers.of(PODS),
    }),
    round: cleanLegacyTokens,
  })

export const createController = createLegacyTokenCleaner(YEAR_MS)
