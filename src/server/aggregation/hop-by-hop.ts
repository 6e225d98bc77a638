/** Headers that belong to one connection, and not to the request or the answer. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers that values of `Connection` name: they too belong to the connection alone. */
export const namedByConnection = (values: readonly string[]): ReadonlySet<string> =>
  new Set(values.flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())))
