/** Flags that contradict or need each other. */
import type { Command } from 'commander'
import { UsageError } from './report-failure.ts'

/** Flags by their names in camelCase. */
export interface FlagRules<Name extends string> {
  /** Of each pair one would have no effect. */
  readonly notTogether?: readonly (readonly [Name, Name])[]
  /** The first flag of a row has no effect without one of the others. */
  readonly needed?: readonly (readonly [Name, ...Name[]])[]
}

/** @throws {UsageError} for flags of which one would have no effect */
export function checkTogether<Name extends string>(
  given: (flag: Name) => boolean,
  { notTogether = [], needed = [] }: FlagRules<Name>,
): void {
  for (const [one, other] of notTogether)
    if (given(one) && given(other)) throw new UsageError(`${flagOf(one)} cannot be used together with ${flagOf(other)}`)
  for (const [one, ...others] of needed)
    if (given(one) && !others.some(given)) throw new UsageError(`${flagOf(one)} needs ${others.map(flagOf).join(' or ')}`)
}

/** Whether the user gave a flag: not its default. */
export const givenTo =
  (command: Command) =>
  (flag: string): boolean =>
    command.getOptionValueSource(flag) === 'cli'

const flagOf = (name: string) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
