/**
 * The effect of a flag with a value other than its default:
 * `followed`: the server uses it; `harmless`: accepted without effect, because no client can observe it; `refused`: the start fails with
 * the reason, because ignoring the flag would be worse.
 */
export type FlagEffect =
  | { readonly kind: 'followed' }
  | { readonly kind: 'harmless' }
  | { readonly kind: 'refused'; readonly reason: string }

/** One flag of a command: how its texts become a value. Its name is its key in the table. */
export interface Flag<T> {
  /** The type in help texts: `string`, `strings`, `duration`; empty for a boolean. */
  readonly type: string
  readonly initial: T
  /** The value of the bare flag (`--anonymous-auth`); undefined if the flag needs a value. */
  readonly bare?: string
  /** One letter (`-v`). */
  readonly short?: string
  /** The deprecation warning; the flag is hidden from help texts. Empty: no warning. */
  readonly deprecated?: string
  readonly help: string
  readonly effect: FlagEffect
  /** Takes another text; `before` is undefined for the first. Throws a `FlagValueError`, whose message is the reason alone. */
  take(text: string, before: T | undefined): T
}

/** Why a text is not a valid value of its flag, in Go's words. */
export class FlagValueError extends Error {
  override readonly name = 'FlagValueError'
}

/** A flag of any type. `take` is a method, which TypeScript compares bivariantly, so that a table can hold flags of many types. */
export type AnyFlag = Flag<unknown>

/** Flags by name, without the dashes. */
export type FlagTable = Readonly<Record<string, AnyFlag>>

/** The values of a table's flags. */
export type FlagValues<T extends FlagTable> = { readonly [K in keyof T]: T[K] extends Flag<infer V> ? V : never }

/** The values if no flag is given. */
export function initialValues<T extends FlagTable>(table: T): FlagValues<T> {
  return Object.freeze(Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, flag.initial as unknown]))) as FlagValues<T>
}
