/** Replaces `$(NAME)` by what `value` says; `$$` is a dollar; a name that is not known stays as it is written. */
export function expandReferences(text: string, value: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text
  let out = ''
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i)
    const next = text.charAt(i + 1)
    if (c !== '$' || i + 1 >= text.length) out += c
    else if (next === '$') {
      out += '$'
      i++
    } else if (next === '(') {
      const end = text.indexOf(')', i + 2)
      if (end < 0) {
        out += '$('
        i++
      } else {
        const name = text.slice(i + 2, end)
        out += value(name) ?? `$(${name})`
        i = end
      }
    } else {
      out += c + next
      i++
    }
  }
  return out
}
