/** How `curl` ends when a request fails, by what failed. */
export const FAILED = { resolve: 6, connect: 7, http: 22, timeout: 28, tls: 60 } as const

/** Why a connection did not come about, in the words of programs; `late`: their own patience was at its end. */
export function whyNot(error: unknown, late: boolean): { readonly code: number; readonly words: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const words = cause instanceof Error ? cause.message : String(cause)
  if (late || code === 'ETIMEDOUT') return { code: FAILED.timeout, words: 'Connection timed out' }
  if (code === 'ENOTFOUND') return { code: FAILED.resolve, words: 'Could not resolve host' }
  return { code: /CERT|SELF_SIGNED|ERR_TLS/.test(code) ? FAILED.tls : FAILED.connect, words }
}
