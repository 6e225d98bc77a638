import { RE2JS } from 're2js'
import { messageOf } from '../../base/message-of.ts'

const known = new Map<string, RE2JS | string>()
const MOST = 5000

/** A pattern in Go's syntax, in linear time; or why it cannot be one, in Go's words. */
export function compilePattern(pattern: string): RE2JS | string {
  let compiled = known.get(pattern)
  if (compiled === undefined) {
    compiled = compile(pattern)
    if (known.size >= MOST) known.clear()
    known.set(pattern, compiled)
  }
  return compiled
}

/** Whether a text contains a match. A pattern that is none matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern)
  return typeof compiled !== 'string' && compiled.test(text)
}

/**
 * How much work a match may be at most: its states times the characters of the text. Nearly all are much less (the matcher makes itself an
 * automaton), but some patterns let nothing be made of them.
 */
export function worstWork(pattern: string, text: string): number {
  const compiled = compilePattern(pattern)
  return typeof compiled === 'string' ? 0 : compiled.programSize() * text.length
}

/** More work than one match may be: it would take longer than others can wait. */
export const MOST_WORK = 12_000_000

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const text = messageOf(error)
    return text.startsWith('error parsing regexp') ? text : `error parsing regexp: ${text}`
  }
}
