/** Braces that would make more words of one stay as they are written. */
const MOST = 10_000

/** `{a,b}` and `{1..5}` as bash takes them apart; what is neither stays as it is. `times`: how many words they are part of already. */
export function expandBraces(written: string, times: number): readonly string[] {
  const texts = textsOf(written)
  return texts.length * times > MOST ? [written] : texts
}

function textsOf(written: string): readonly string[] {
  const inside = written.slice(1, -1)
  const range = inside.match(/^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/)
  if (range !== null) {
    const [from, to] = [Number(range[1]), Number(range[2])]
    const step = Math.max(1, Math.abs(Number(range[3] ?? 1)))
    const count = Math.floor(Math.abs(to - from) / step) + 1
    if (count > MOST) return [written]
    return Array.from({ length: count }, (_, i) => String(from + (to < from ? -i : i) * step))
  }
  const letters = inside.match(/^([A-Za-z])\.\.([A-Za-z])$/)
  if (letters !== null) {
    const [from, to] = [letters[1]?.charCodeAt(0) ?? 0, letters[2]?.charCodeAt(0) ?? 0]
    return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => String.fromCharCode(from + (to < from ? -i : i)))
  }
  return inside.includes(',') && !/[{}$`'"\\]/.test(inside) ? inside.split(',') : [written]
}
