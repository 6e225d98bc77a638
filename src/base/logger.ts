/** Structured logging: a plain sentence, and the facts beside it. */
export interface Logger {
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  info(message: string, facts?: Readonly<Record<string, unknown>>): void
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void
  /** A logger that adds these facts to every line. */
  with(facts: Readonly<Record<string, unknown>>): Logger
}

/** Logs nothing; for tests and for embedding. */
export const silentLogger: Logger = {
  error: () => {},
  warn: () => {},
  info: () => {},
  debug: () => {},
  with: () => silentLogger,
}
