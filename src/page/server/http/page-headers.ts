/** Nothing is loaded from elsewhere, run from text, or sent anywhere but here. Text becomes HTML nowhere (Trusted Types). */
const policyOf = (own: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    ...own,
  ].join('; ')

/** Of every answer but the terminal's document. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': policyOf(["style-src 'self'", "connect-src 'self'", "frame-src 'self'", "frame-ancestors 'none'"]),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/**
 * The terminal makes style elements, which the page's policy refuses. Its document has that exception, connects to nothing, and is framed
 * by the page alone.
 */
export const TERMINAL_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'content-security-policy': policyOf(["style-src 'self' 'unsafe-inline'", "frame-ancestors 'self'"]),
  'x-frame-options': 'SAMEORIGIN',
}
