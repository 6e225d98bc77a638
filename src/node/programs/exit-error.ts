/** Thrown by `exit`: a program that catches it has not caught a failure. */
export class ExitError extends Error {
  override readonly name = 'ExitError'
  readonly exitCode: number
  constructor(exitCode: number) {
    super(`the process has ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** Why `signal` was aborted when the process has ended by itself, and what `spawn` throws from then on. */
export class EndedError extends Error {
  override readonly name = 'EndedError'
  readonly code = 'ended'
  constructor() {
    super('the process has ended: nothing of its container can be used any more')
  }
}

/** Why `signal` was aborted. */
export class SignalError extends Error {
  override readonly name = 'SignalError'
  /** `SIGTERM` */
  readonly signal: string
  constructor(signal: string) {
    super(`the process was sent ${signal}`)
    this.signal = signal
  }
}
