import type { RE2JS } from 're2js'
import { messageOf } from '../../base/message-of.ts'
import { compileRegex } from '../go/compile-regex.ts'

/** Compiles a pattern in Go's syntax, which matches in linear time; for an invalid one returns Go's error. */
export function compilePattern(pattern: string): RE2JS | string {
  try {
    return compileRegex(pattern)
  } catch (error) {
    const text = messageOf(error)
    return text.startsWith('error parsing regexp') ? text : `error parsing regexp: ${text}`
  }
}

/** True if a text contains a match. An invalid pattern matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern)
  return typeof compiled !== 'string' && compiled.test(text)
}

/**
 * Upper bound of the work of a match: states times characters. Nearly all need much less (the matcher builds an automaton), but some
 * patterns prevent that.
 */
export function worstWork(pattern: string, text: string): number {
  const compiled = compilePattern(pattern)
  return typeof compiled === 'string' ? 0 : compiled.programSize() * text.length
}

/** Most work of one match: it would block other requests for too long. */
export const MOST_WORK = 12_000_000
