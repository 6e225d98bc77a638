import type { ParameterExpansionPart, ParameterOperation, Word } from 'unbash'
import type { Steps } from '../../base/steps.ts'
import { ShellError, type ShellState } from '../shell-state.ts'
import { countCharacters, sliceCharacters } from './characters.ts'
import { compilePattern, type PatternPiece } from './pattern.ts'

/** What an operation on a parameter needs of its words. */
export interface WordReader {
  text(word: Word): Promise<string>
  pattern(word: Word): Promise<readonly PatternPiece[]>
  number(word: Word): Promise<number>
  /** Carries out a long computation with turns for others between its steps. */
  run<T>(steps: Steps<T>): Promise<T>
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
  if (part.prefix === '#') return String(countCharacters(value ?? unset(name, state)))
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
      return words.run(withoutAffix(value ?? '', operation.operator, await words.pattern(operation.operand)))
    case 'Replace': {
      const replacement = await words.text(operation.replacement)
      const pattern = compilePattern(await words.pattern(operation.pattern))
      return words.run(pattern.replace(value ?? '', operation.operator, replacement))
    }
    case 'Slice': {
      const text = value ?? ''
      const count = countCharacters(text)
      const offset = await words.number(operation.offset)
      const start = offset < 0 ? Math.max(0, count + offset) : offset
      const length = operation.length === undefined ? count : await words.number(operation.length)
      return sliceCharacters(text, start, length < 0 ? count + length : start + length)
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

/** `${x#…}`, `${x##…}`, `${x%…}`, `${x%%…}`: without the shortest or longest prefix or suffix that fits. */
function withoutAffix(value: string, operator: '#' | '##' | '%' | '%%', pieces: readonly PatternPiece[]): Steps<string> {
  const pattern = compilePattern(pieces)
  const longest = operator.length === 2
  return operator.startsWith('#') ? pattern.withoutPrefix(value, longest) : pattern.withoutSuffix(value, longest)
}
