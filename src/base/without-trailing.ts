/**
 * A text without the characters at its end that are among `characters`: in linear time, which `/x+$/` is not where many stand before
 * something else.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
