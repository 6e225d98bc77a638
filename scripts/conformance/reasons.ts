/** Why specs do not pass: the first pattern that a spec's name has in it counts. */
export interface Reason {
  readonly pattern: RegExp
  readonly why: string
}

/**
 * Reads `reasons.txt`: a reason on a line that begins with `#`, and below it the patterns (regular expressions) of those it holds for, one
 * a line.
 * @throws {SyntaxError} for a pattern that is none
 */
export function readReasons(text: string): readonly Reason[] {
  const reasons: Reason[] = []
  let why = 'not known yet'
  for (const line of text.split('\n').map((l) => l.trim())) {
    if (line.startsWith('#')) why = line.replace(/^#+\s*/, '')
    else if (line !== '') reasons.push({ pattern: new RegExp(line), why })
  }
  return reasons
}

export function reasonFor(name: string, reasons: readonly Reason[]): string {
  return reasons.find((r) => r.pattern.test(name))?.why ?? 'not known yet'
}
