/** How a command leaves the loops, functions and shells around it. */
export type Leave =
  | { readonly kind: 'exit'; readonly status: number }
  | { readonly kind: 'return'; readonly status: number }
  | { readonly kind: 'break' | 'continue'; readonly levels: number }

/** Thrown by `exit`, `return`, `break` and `continue`; caught where they lead. */
export class Leaving extends Error {
  override readonly name = 'Leaving'
  readonly how: Leave
  constructor(how: Leave) {
    super(how.kind)
    this.how = how
  }
}

/** Why a process was ended from outside. */
export class Killed extends Error {
  override readonly name = 'Killed'
  readonly signal: string
  constructor(signal: string) {
    super(`killed by ${signal}`)
    this.signal = signal
  }
}
