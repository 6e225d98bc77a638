/** Header names cannot hold every character; keys come percent-encoded. What is not decodes to itself. */
export function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
