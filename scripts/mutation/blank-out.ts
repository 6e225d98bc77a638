/**
 * TypeScript with everything but code replaced by spaces: types, comments, texts and regular expressions. Offsets stay as they are, so that what is found
 * in it can be changed in the original.
 */
import { stripTypeScriptTypes } from 'node:module'

export function blankOut(source: string): string {
  const code = stripTypeScriptTypes(source)
  const out = [...code].length === code.length ? code.split('') : Array.from({ length: code.length }, (_, i) => code.charAt(i))
  let i = 0
  /** Blanks until the position, line ends excepted. */
  const blankTo = (end: number) => {
    for (; i < end; i++) if (out[i] !== '\n') out[i] = ' '
  }
  /** One level of templates: `${` nests. */
  const templates: number[] = []
  let braces = 0
  while (i < code.length) {
    const two = code.slice(i, i + 2)
    const c = code.charAt(i)
    if (two === '//') blankTo(endOf(code, '\n', i))
    else if (two === '/*') blankTo(endOf(code, '*/', i + 2) + 2)
    else if (c === "'" || c === '"') blankTo(closing(code, c, i + 1) + 1)
    else if (c === '`') blankTo(templateEnd(i + 1))
    else if (c === '/' && startsRegExp(code.slice(0, i))) blankTo(regExpEnd(code, i + 1))
    else {
      if (c === '{') braces++
      if (c === '}' && templates.at(-1) === braces) {
        templates.pop()
        blankTo(templateEnd(i + 1))
      } else {
        if (c === '}') braces--
        i++
      }
    }
  }
  return out.join('')

  /** Where the text of a template ends: behind its back quote, or at the code of a `${`. */
  function templateEnd(from: number): number {
    for (let at = from; at < code.length; at++) {
      if (code[at] === '\\') at++
      else if (code[at] === '`') return at + 1
      else if (code[at] === '$' && code[at + 1] === '{') {
        templates.push(braces)
        return at + 2
      }
    }
    return code.length
  }
}

const endOf = (code: string, text: string, from: number): number => {
  const at = code.indexOf(text, from)
  return at < 0 ? code.length : at
}

function closing(code: string, quote: string, from: number): number {
  let at = from
  while (at < code.length && code[at] !== quote) at += code[at] === '\\' ? 2 : 1
  return at
}

function regExpEnd(code: string, from: number): number {
  let inClass = false
  let at = from
  for (; at < code.length && (inClass || code[at] !== '/'); at++) {
    if (code[at] === '\\') at++
    else if (code[at] === '[') inClass = true
    else if (code[at] === ']') inClass = false
  }
  return at + 1 + (/^[a-z]*/.exec(code.slice(at + 1))?.[0].length ?? 0)
}

/** A slash divides after a value, and begins a regular expression elsewhere. */
const startsRegExp = (before: string): boolean => /(?:^|[=(,:[!&|?{};\n]|return|=>)\s*$/.test(before.slice(-40))
