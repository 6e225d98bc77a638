/** Characters are Unicode code points here, as in a shell with a UTF-8 locale; JavaScript's strings count surrogates apart. */

/** Longest word, in characters: `a=$a$a` in a loop grows exponentially. */
export const LONGEST_WORD = 4 << 20

const isHighSurrogate = (unit: number) => (unit & 0xfc00) === 0xd800
const isLowSurrogate = (unit: number) => (unit & 0xfc00) === 0xdc00

export function countCharacters(text: string): number {
  let count = text.length
  for (let i = 1; i < text.length; i++) if (isLowSurrogate(text.charCodeAt(i)) && isHighSurrogate(text.charCodeAt(i - 1))) count--
  return count
}

export function codePointsOf(text: string): Uint32Array {
  const codes = new Uint32Array(countCharacters(text))
  for (let i = 0, n = 0; n < codes.length; n++) {
    const code = text.codePointAt(i) ?? 0
    codes[n] = code
    i += code > 0xffff ? 2 : 1
  }
  return codes
}

/** Where in the string the character of that index begins; its end when there are fewer. */
export function offsetOf(text: string, index: number): number {
  let offset = 0
  for (let n = 0; n < index && offset < text.length; n++) offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  return offset
}

/** The characters from one index up to another, as `slice` does it with indexes that are not negative. */
export function sliceCharacters(text: string, from: number, to: number): string {
  const start = offsetOf(text, from)
  const rest = text.slice(start)
  return to === Number.POSITIVE_INFINITY ? rest : rest.slice(0, offsetOf(rest, Math.max(0, to - from)))
}
