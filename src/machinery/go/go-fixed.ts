/** JavaScript counts so many decimal places exactly. */
const MOST_PLACES = 100
/** A finite number with so many decimal places, as Go's `%f` prints it. */
export function goFixed(n: number, places: number): string {
  const exact = Math.min(places, MOST_PLACES)
  const huge = Math.abs(n) >= 1e21
  const text = huge ? `${BigInt(n)}${exact === 0 ? '' : `.${'0'.repeat(exact)}`}` : rounded(n.toFixed(MOST_PLACES), exact, n.toFixed(exact))
  return text + '0'.repeat(places - exact)
}

/** A finite number with an exponent and so many decimal places, as Go's `%e` rounds it. */
export const goExponential = (n: number, places: number): string => rounded(n.toExponential(MOST_PLACES), places, n.toExponential(places))

/**
 * Go rounds a half to the even digit, JavaScript away from zero. `exact`: all digits, and perhaps an exponent; `up`: with so many places,
 * as JavaScript rounds.
 */
function rounded(exact: string, places: number, up: string): string {
  const m = new RegExp(`^(-?\\d+\\.\\d{${places}})50*(e.*)?$`).exec(exact)
  const kept = m?.[1]?.replace(/\.$/, '')
  return kept !== undefined && /[02468]$/.test(kept) ? kept + (m?.[2] ?? '') : up
}
