/** Calls `make` when its result is wanted first, and keeps it. One that throws is called again. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
