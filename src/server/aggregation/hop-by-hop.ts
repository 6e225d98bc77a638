/** Headers that apply to one connection only (RFC 9110, 7.6.1). */
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

/** The headers that values of `Connection` name: they are hop-by-hop too. */
export const namedByConnection = (values: readonly string[]): ReadonlySet<string> =>
  new Set(values.flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())))
