/**
 * What happens with a flag that was given another value than its default:
 * `followed` — the server acts by it; `harmless` — taken and without effect, because nothing that a client can see hangs on it; `refused` —
 * the start ends with the reason, because acting otherwise than told would be worse.
 */
export type FlagEffect =
  | { readonly kind: 'followed' }
  | { readonly kind: 'harmless' }
  | { readonly kind: 'refused'; readonly reason: string }

/** One flag of a command: how its texts become a value. Named by its key in the table. */
export interface Flag<T> {
  /** What the value is called in a help text: `string`, `strings`, `duration`; empty for a boolean. */
  readonly type: string
  readonly initial: T
  /** The value of the bare flag (`--anonymous-auth`); undefined: the flag needs one. */
  readonly bare?: string
  /** One letter (`-v`). */
  readonly short?: string
  /** Hidden from help texts; the warning for users of the flag, unless it is empty. */
  readonly deprecated?: string
  readonly help: string
  readonly effect: FlagEffect
  /** Takes one more text; `before` is undefined at the first. Throws a `FlagValueError`, whose message is the reason alone. */
  take(text: string, before: T | undefined): T
}

/** Why a text is no value of its flag, in Go's words. */
export class FlagValueError extends Error {
  override readonly name = 'FlagValueError'
}

/** A flag of whatever type: what a parser needs of it. */
// biome-ignore lint/suspicious/noExplicitAny: a table holds flags of many types, and `take` stands on both sides of them
export type AnyFlag = Flag<any>

/** Flags by their names, without the dashes. */
export type FlagTable = Readonly<Record<string, AnyFlag>>

/** The values of a table's flags. */
export type FlagValues<T extends FlagTable> = { readonly [K in keyof T]: T[K] extends Flag<infer V> ? V : never }

/** The values when no flag is given. */
export function initialValues<T extends FlagTable>(table: T): FlagValues<T> {
  return Object.freeze(Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, flag.initial as unknown]))) as FlagValues<T>
}
