/** Characters that have no picture, or that reorder their neighbours: controls, bidirectional marks, zero-width ones, byte order marks. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The most characters of one text; longer ones are cut, with their length. */
const MAX_SHOWN = 2_000

/** A text of the cluster as the page shows it: invisible characters are written out (`\u202e`), and long texts are cut. */
export function shownText(text: string, limit: number = MAX_SHOWN): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}… (${text.length} characters)` : text
  return cut.replace(INVISIBLE, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
}
