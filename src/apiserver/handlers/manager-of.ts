const LONGEST_BYTES = 128
const PLAIN = /^[\x20-\x7e]*$/
/** Characters for which Go's `unicode.IsPrint` is false: control characters, and spaces other than U+0020. */
const UNPRINTABLE = /\p{C}|(?! )\p{Z}/u

/** The field manager of a write: the one that the client names, else the program's name in the user agent, else `unknown`. */
export function managerOf(userAgent: string, fieldManager: string): string {
  if (fieldManager !== '') return fieldManager
  const end = userAgent.indexOf('/')
  const program = end < 0 ? userAgent : userAgent.slice(0, end)
  if (program === '') return 'unknown'
  if (program.length <= LONGEST_BYTES && PLAIN.test(program)) return program
  let name = ''
  let sizeBytes = 0
  for (const character of program) {
    if (UNPRINTABLE.test(character)) continue
    sizeBytes += Buffer.byteLength(character)
    if (sizeBytes > LONGEST_BYTES) break
    name += character
  }
  return name === '' ? 'unknown' : name
}
