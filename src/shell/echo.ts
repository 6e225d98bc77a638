import { unescapeText } from './printf.ts'

/** What `echo` prints for its words: `-n` leaves the end of the line out, `-e` reads escapes. */
export function echoText(args: readonly string[]): string {
  const words = [...args]
  let newline = true
  let escapes = false
  while (/^-[neE]+$/.test(words[0] ?? '')) {
    const flags = words.shift() ?? ''
    if (flags.includes('n')) newline = false
    if (flags.includes('e')) escapes = true
  }
  const text = words.join(' ')
  return (escapes ? unescapeText(text) : text) + (newline ? '\n' : '')
}
