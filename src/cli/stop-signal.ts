/** Resolves at the first SIGINT, SIGTERM or SIGHUP. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve(name))
  })
}
