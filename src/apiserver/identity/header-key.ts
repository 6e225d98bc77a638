/** Decodes a percent-encoded key of a header name. A key with an invalid encoding is returned unchanged. */
export function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
