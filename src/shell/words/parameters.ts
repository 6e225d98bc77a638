import type { ParameterExpansionPart, ParameterOperation, Word } from 'unbash'
import { ShellError, type ShellState } from '../shell-state.ts'
import { compilePattern, type PatternPiece } from './pattern.ts'

/** What an operation on a parameter needs of its words. */
export interface WordReader {
  text(word: Word): Promise<string>
  pattern(word: Word): Promise<readonly PatternPiece[]>
  number(word: Word): Promise<number>
}

/** The value of `$name`, `$1`, `$?` and the like; undefined when it is not set. `@` and `*` are the caller's. */
export function parameterValue(name: string, state: ShellState): string | undefined {
  if (/^\d+$/.test(name)) return name === '0' ? state.name : state.positional[Number(name) - 1]
  switch (name) {
    case '?':
      return String(state.status)
    case '#':
      return String(state.positional.length)
    case '$':
      return String(state.pid)
    case '!':
      return state.lastBackground === undefined ? undefined : String(state.lastBackground)
    case '-':
      return [...state.options].filter((o) => o.length === 1).join('')
    case '@':
    case '*':
      return state.positional.length === 0 ? undefined : state.positional.join((state.get('IFS') ?? ' ').slice(0, 1))
    default:
      return state.get(name)
  }
}

/**
 * `${name…}` as text.
 * @throws {ShellError} for what is not set where it must be, and for operations that no shell of ours knows
 */
export async function expandParameter(part: ParameterExpansionPart, state: ShellState, words: WordReader): Promise<string> {
  const name = part.prefix === '!' ? (parameterValue(part.parameter, state) ?? '') : part.parameter
  const value = parameterValue(name, state)
  if (part.prefix === '#') return String([...(value ?? unset(name, state))].length)
  if (part.operation === undefined) return value ?? unset(name, state)
  return operate(part.operation, name, value, state, words)
}

/** Nothing, or the error of `set -u`. */
export function unset(name: string, state: ShellState): string {
  if (state.options.has('u') && name !== '@' && name !== '*') throw new ShellError(`${name}: parameter not set`)
  return ''
}

/** What an operation makes of a value. */
export async function operate(
  operation: ParameterOperation,
  name: string,
  value: string | undefined,
  state: ShellState,
  words: WordReader,
): Promise<string> {
  switch (operation.type) {
    case 'Default': {
      const missing = value === undefined || (operation.operator.startsWith(':') && value === '')
      const kind = operation.operator.at(-1)
      if (kind === '+') return missing ? '' : words.text(operation.operand)
      if (!missing) return value
      const other = await words.text(operation.operand)
      if (kind === '?') throw new ShellError(`${name}: ${other || 'parameter not set'}`)
      if (kind === '=') state.set(name, other)
      return other
    }
    case 'Remove':
      return removeAffix(value ?? '', operation.operator, await words.pattern(operation.operand))
    case 'Replace': {
      const replacement = await words.text(operation.replacement)
      return replaceMatches(value ?? '', operation.operator, await words.pattern(operation.pattern), replacement)
    }
    case 'Slice': {
      const characters = [...(value ?? '')]
      const offset = await words.number(operation.offset)
      const start = offset < 0 ? Math.max(0, characters.length + offset) : offset
      const length = operation.length === undefined ? characters.length : await words.number(operation.length)
      return characters.slice(start, length < 0 ? length : start + length).join('')
    }
    case 'CaseModification': {
      const change = (c: string) => (operation.operator.startsWith('^') ? c.toUpperCase() : c.toLowerCase())
      const text = value ?? ''
      return operation.operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1)
    }
    default:
      throw new ShellError(`${name}: bad substitution`)
  }
}

/** `${x#…}`, `${x##…}`, `${x%…}`, `${x%%…}`: the shortest or longest that fits at that end goes. */
function removeAffix(value: string, operator: '#' | '##' | '%' | '%%', pieces: readonly PatternPiece[]): string {
  const pattern = compilePattern(pieces)
  const lengths = Array.from({ length: value.length + 1 }, (_, i) => i)
  if (operator.length === 2) lengths.reverse()
  const atStart = operator.startsWith('#')
  const length = lengths.find((n) => pattern.matches(atStart ? value.slice(0, n) : value.slice(value.length - n)))
  if (length === undefined) return value
  return atStart ? value.slice(length) : value.slice(0, value.length - length)
}

function replaceMatches(value: string, operator: '/' | '//' | '/#' | '/%', pieces: readonly PatternPiece[], replacement: string): string {
  const pattern = compilePattern(pieces)
  const longestAt = (start: number) => {
    for (let end = value.length; end > start; end--) if (pattern.matches(value.slice(start, end))) return end
    return undefined
  }
  let result = ''
  let i = 0
  while (i < value.length) {
    const end = operator === '/#' && i > 0 ? undefined : longestAt(i)
    if (end === undefined || (operator === '/%' && end !== value.length)) result += value[i++]
    else {
      result += replacement
      i = end
      if (operator !== '//') break
    }
  }
  return result + value.slice(i)
}
