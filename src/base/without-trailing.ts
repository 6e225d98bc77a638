/**
 * A text without its trailing characters that are among `characters`. Takes linear time, which `/x+$/` does not if many of them precede
 * another character.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
