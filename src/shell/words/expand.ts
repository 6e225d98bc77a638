import {
  type ArithmeticExpression,
  type DoubleQuotedChild,
  type ParameterExpansionPart,
  type ParsedScript,
  parse,
  type Word,
  type WordPart,
} from 'unbash'
import type { Steps } from '../../base/steps.ts'
import { withoutTrailing } from '../../base/without-trailing.ts'
import type { ByteSink } from '../../machinery/streams.ts'
import { findPaths } from '../paths.ts'
import type { FileSystem } from '../processes/process.ts'
import { ShellError, type ShellState } from '../shell-state.ts'
import { evaluate } from './arithmetic.ts'
import { expandBraces } from './braces.ts'
import { countCharacters, LONGEST_WORD } from './characters.ts'
import { type Segment, splitFields, textOf } from './fields.ts'
import { expandParameter, operate, parameterValue, unset, type WordReader } from './parameters.ts'
import type { PatternPiece } from './pattern.ts'

const BLANKS = ' \t\n'
/** A word that becomes more is an error: `$(cat everything)` must not fill the memory. */
const MOST_FIELDS = 100_000

export interface ExpansionContext {
  readonly state: ShellState
  readonly files: FileSystem
  /** Whether the descriptor of that number is a terminal. */
  isTerminal(descriptor: number): boolean
  /** What the container's main process prints to. */
  readonly main: { readonly stdout: ByteSink; readonly stderr: ByteSink } | undefined
  /** Carries out a long computation with turns for others between its steps. */
  run<T>(steps: Steps<T>): Promise<T>
  /** What a command substitution prints. */
  substitute(script: ParsedScript): Promise<string>
}

/**
 * The arguments that words become: expansions, field splitting, then paths (POSIX 2.6). They are added to those found before.
 * @throws {ShellError}
 */
export async function expandWords(words: readonly Word[], context: ExpansionContext, found: string[] = []): Promise<string[]> {
  for (const word of words) {
    const fields = splitFields(await segmentsOf(word, context, true), context.state.get('IFS') ?? BLANKS, MOST_FIELDS)
    for (const field of fields) for (const path of await findPaths(field, context, MOST_FIELDS)) found.push(path)
    if (found.length > MOST_FIELDS) throw new ShellError('argument list too long')
  }
  return found
}

/** One text, not split: what is assigned, a redirection's target, a `case`. */
export async function expandText(word: Word, context: ExpansionContext): Promise<string> {
  return textOf(await expandPattern(word, context))
}

/** The same with what was quoted marked. */
export async function expandPattern(word: Word, context: ExpansionContext): Promise<readonly PatternPiece[]> {
  const segments = await segmentsOf(word, context)
  return segments.flatMap((s) =>
    s.kind === 'border' ? { text: ' ', quoted: true } : { text: s.text, quoted: s.kind === 'text' && s.quoted },
  )
}

/** The contents of a here-document. */
export async function expandParts(parts: readonly WordPart[], context: ExpansionContext): Promise<string> {
  const texts: string[] = []
  for (const part of parts)
    texts.push(textOf((await expandPart(part, context, true)).flatMap((s) => (s.kind === 'border' ? { text: ' ' } : s))))
  return texts.join('')
}

export function evaluateExpression(expression: ArithmeticExpression, context: ExpansionContext): Promise<bigint> {
  return evaluate(expression, context.state, async (operand) => {
    if (operand.type === 'ArithmeticCommandExpansion') return operand.script === undefined ? '' : context.substitute(operand.script)
    if (operand.type !== 'ArithmeticWord') return ''
    if (operand.parts !== undefined) return expandParts(operand.parts, context)
    // The parser leaves a plain `$x` in an expression as it is written.
    return operand.value.replace(
      /\$([A-Za-z_]\w*|[\d#?!$-])/g,
      (_, name: string) => parameterValue(name, context.state) ?? unset(name, context.state),
    )
  })
}

/** `braces`: `{a,b}` makes several words of one. */
async function segmentsOf(word: Word, context: ExpansionContext, braces = false): Promise<readonly Segment[]> {
  if (word.parts === undefined) return [text(tilde(word.text, word.value, context), true)]
  let made: Segment[][] = [[]]
  for (const [i, part] of word.parts.entries()) {
    if (part.type === 'BraceExpansion') {
      const texts = braces ? expandBraces(part.text, made.length) : [part.text]
      made = made.flatMap((before) => texts.map((one) => [...before, text(one, true)]))
      continue
    }
    const first = i === 0 && part.type === 'Literal'
    const expanded = first ? [text(tilde(part.text, part.value, context), true)] : await expandPart(part, context, false)
    for (const word of made) for (const segment of expanded) word.push(segment)
  }
  const segments: Segment[] = []
  for (const [i, word] of made.entries()) {
    if (i > 0) segments.push({ kind: 'border' })
    for (const segment of word) segments.push(segment)
  }
  let length = 0
  for (const segment of segments) if (segment.kind !== 'border') length += segment.text.length
  if (length > LONGEST_WORD) throw new ShellError('out of space')
  return segments
}

function text(value: string, quoted: boolean): Segment {
  return { kind: 'text', text: value, quoted }
}

function tilde(written: string, value: string, { state }: ExpansionContext): string {
  return /^~(\/|$)/.test(written) ? (state.get('HOME') ?? '~') + value.slice(1) : value
}

async function expandPart(part: WordPart | DoubleQuotedChild, context: ExpansionContext, quoted: boolean): Promise<readonly Segment[]> {
  const came = (value: string): readonly Segment[] => [quoted ? text(value, true) : { kind: 'split', text: value }]
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [text(part.value, true)]
    case 'Glob':
      return expandGlob(part, context)
    case 'ExtendedGlob':
      return [text(part.text, true)]
    case 'BraceExpansion':
      return [text(part.text, true)]
    case 'DoubleQuoted':
    case 'LocaleString':
      return expandQuoted(part.parts, context)
    case 'SimpleExpansion': {
      const name = part.text.slice(1)
      return name === '@' || name === '*'
        ? severalFields(context.state.positional, name, context, quoted)
        : came(parameterValue(name, context.state) ?? unset(name, context.state))
    }
    case 'ParameterExpansion': {
      const { parameter, operation, prefix } = part
      if (part.index !== undefined) return expandElements(part, part.index, context, quoted)
      if ((parameter === '@' || parameter === '*') && operation === undefined && prefix === undefined)
        return severalFields(context.state.positional, parameter, context, quoted)
      return came(await expandParameter(part, context.state, wordReader(context)))
    }
    case 'CommandExpansion':
      return came(part.script === undefined ? '' : withoutTrailing(await context.substitute(part.script), '\n'))
    case 'ArithmeticExpansion':
      return came(part.expression === undefined ? '0' : String(await evaluateExpression(part.expression, context)))
    case 'ProcessSubstitution':
      throw new ShellError('process substitution is not there')
  }
}

/** `*`, `?`, or a set, in which parameters and commands are expanded. */
async function expandGlob(part: Extract<WordPart, { type: 'Glob' }>, context: ExpansionContext): Promise<readonly Segment[]> {
  if (!('parts' in part) || part.parts === undefined) return [text(part.text, false)]
  const segments: Segment[] = [text('[', false)]
  for (const inner of part.parts) {
    if (inner.type === 'Literal') segments.push(text(inner.text, false))
    else segments.push(...(await expandPart(inner, context, false)))
  }
  return [...segments, text(']', false)]
}

/** What is quoted is one field, also when it is empty; but for `"$@"` of nothing. */
async function expandQuoted(parts: readonly DoubleQuotedChild[], context: ExpansionContext): Promise<readonly Segment[]> {
  const segments: Segment[] = []
  for (const part of parts) for (const segment of await expandPart(part, context, true)) segments.push(segment)
  const nothing = segments.length === 0 && parts.some((p) => p.type === 'SimpleExpansion' || p.type === 'ParameterExpansion')
  return segments.length === 0 && !nothing ? [text('', true)] : segments
}

/** Where `a[INDEX]` leads: a number, worked out as arithmetic is. */
export async function expandIndex(index: Word, context: ExpansionContext): Promise<number> {
  const written = (await expandText(index, context)).trim()
  if (/^-?\d{1,9}$/.test(written)) return Number(written)
  const [command] = parse(`((${written}))`).commands
  const expression = command?.command.type === 'ArithmeticCommand' ? command.command.expression : undefined
  if (expression === undefined) throw new ShellError(`${written}: bad array subscript`)
  return Number(await evaluateExpression(expression, context))
}

/** `${a[1]}`, `${a[@]}`, `${#a[@]}`, `${!a[@]}`, `${a[@]:1:2}`. */
async function expandElements(
  part: ParameterExpansionPart,
  index: Word,
  context: ExpansionContext,
  quoted: boolean,
): Promise<readonly Segment[]> {
  const { parameter, operation, prefix } = part
  const elements = context.state.elements(parameter)
  const came = (value: string): readonly Segment[] => [quoted ? text(value, true) : { kind: 'split', text: value }]
  const all = index.value === '@' || index.value === '*' ? index.value : undefined
  if (all === undefined) {
    const at = await expandIndex(index, context)
    const value = elements.at(at)
    if (prefix === '#') return came(String(countCharacters(value ?? '')))
    if (operation === undefined) return came(value ?? unset(`${parameter}[${at}]`, context.state))
    return came(await operate(operation, parameter, value, context.state, wordReader(context)))
  }
  const set = elements.filter((value) => value !== undefined)
  if (prefix === '#') return came(String(set.length))
  if (prefix === '!') {
    const places = elements.flatMap((value, i) => (value === undefined ? [] : [String(i)]))
    return severalFields(places, all, context, quoted)
  }
  if (operation?.type === 'Slice') {
    const words = wordReader(context)
    const from = await words.number(operation.offset)
    const count = operation.length === undefined ? set.length : await words.number(operation.length)
    return severalFields(set.slice(from).slice(0, count), all, context, quoted)
  }
  if (operation === undefined) return severalFields(set, all, context, quoted)
  const changed = await Promise.all(set.map((value) => operate(operation, parameter, value, context.state, wordReader(context))))
  return severalFields(changed, all, context, quoted)
}

function severalFields(values: readonly string[], name: '@' | '*', { state }: ExpansionContext, quoted: boolean): readonly Segment[] {
  if (quoted && name === '*') return [text(values.join((state.get('IFS') ?? ' ').slice(0, 1)), true)]
  return values.flatMap((value, i): Segment[] => [
    ...(i === 0 ? [] : [{ kind: 'border' } as const]),
    quoted ? text(value, true) : { kind: 'split', text: value },
  ])
}

function wordReader(context: ExpansionContext): WordReader {
  return {
    run: (steps) => context.run(steps),
    text: (word) => expandText(word, context),
    pattern: (word) => expandPattern(word, context),
    async number(word) {
      const value = (await expandText(word, context)).trim()
      if (!/^-?\d{1,9}$/.test(value)) throw new ShellError(`${value}: a number is expected`)
      return Number(value)
    },
  }
}
