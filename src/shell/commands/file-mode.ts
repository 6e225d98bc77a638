const WHO: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007, a: 0o777 }
const WHAT: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111 }

/**
 * The permission bits that `chmod` sets: `755`, `u+x,go-w`.
 * @throws {Error} for what is no mode
 */
export function changedMode(written: string, old: number): number {
  if (/^[0-7]{1,4}$/.test(written)) return Number.parseInt(written, 8)
  return written.split(',').reduce((mode, clause) => withClause(clause, mode, written), old)
}

function withClause(clause: string, mode: number, written: string): number {
  const [, who = '', operator, what = ''] = clause.match(/^([ugoa]*)([-+=])([rwxX]*)$/) ?? []
  if (operator === undefined) throw new Error(`invalid mode '${written}'`)
  const mask = [...(who || 'a')].reduce((bits, letter) => bits | (WHO[letter] ?? 0), 0)
  const bits = [...what].reduce((sum, letter) => sum | (WHAT[letter.toLowerCase()] ?? 0), 0) & mask
  if (operator === '+') return mode | bits
  return operator === '-' ? mode & ~bits : (mode & ~mask) | bits
}
