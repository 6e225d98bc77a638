import type { Work } from './work.ts'

/** The kind's own normal form (kinds that have one share no parts). */
export function canonicalize({ rules, draft }: Work): void {
  rules.canonicalize?.(draft)
}
