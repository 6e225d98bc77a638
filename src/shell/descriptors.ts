import type { Redirection, Word, WordPart } from 'unbash'
import type { ByteSink } from '../machinery/streams.ts'
import { fileErrorWords } from './file-words.ts'
import { resolvePath } from './paths.ts'
import { emptyInput, inputOf, nullSink } from './processes/pipe.ts'
import type { Input } from './processes/process.ts'
import { ShellError } from './shell-state.ts'
import { type ExpansionContext, expandParts, expandText } from './words/expand.ts'

/** The target of a file descriptor: a reader, a writer, or both. */
export interface Descriptor {
  readonly input?: Input
  readonly sink?: ByteSink
}

/** By number; 0, 1 and 2 are the standard streams. */
export type Descriptors = ReadonlyMap<number, Descriptor>

const NOTHING: Descriptor = { input: emptyInput, sink: nullSink }

export function isTerminal(descriptor: Descriptor | undefined): boolean {
  if (descriptor?.input !== undefined) return descriptor.input.terminal !== undefined
  return descriptor?.sink !== undefined && 'terminal' in descriptor.sink
}

export function inputAt(descriptors: Descriptors, number = 0): Input {
  return descriptors.get(number)?.input ?? emptyInput
}

export function sinkAt(descriptors: Descriptors, number: number): ByteSink {
  return descriptors.get(number)?.sink ?? nullSink
}

/**
 * The descriptors after `>file`, `2>&1` and their like, from left to right.
 * @throws {ShellError} naming what cannot be opened
 */
export async function redirect(
  descriptors: Descriptors,
  redirections: readonly Redirection[],
  context: ExpansionContext,
): Promise<Descriptors> {
  if (redirections.length === 0) return descriptors
  const now = new Map(descriptors)
  for (const one of redirections) {
    if (one.descriptor?.type === 'FileDescriptorVariable') throw new ShellError('descriptors by name are not there')
    if (one.type === 'HereDoc' || one.type === 'HereString') {
      const text =
        one.type === 'HereString' ? `${await wordText(one.target, context)}\n` : await hereText(one.body, one.operator === '<<-', context)
      now.set(one.descriptor?.value ?? 0, { input: inputOf(new TextEncoder().encode(text)) })
      continue
    }
    const target = await wordText(one.target, context)
    const reads = one.operator.startsWith('<')
    const number = one.descriptor?.value ?? (reads ? 0 : 1)
    if (one.operator === '>&' || one.operator === '<&') {
      if (target === '-') now.delete(number)
      else now.set(number, duplicate(now, target))
    } else if (reads) now.set(number, await openForReading(target, now, context))
    else {
      const opened = await openForWriting(target, now, context, one.operator.endsWith('>>'))
      now.set(number, opened)
      if (one.operator.startsWith('&')) now.set(2, opened)
    }
  }
  return now
}

function wordText(word: Word | undefined, context: ExpansionContext): Promise<string> {
  if (word === undefined) throw new ShellError('syntax error: a redirection without a target')
  return expandText(word, context)
}

interface HereBody {
  readonly text: string
  readonly parts: readonly WordPart[] | undefined
}

/** `strips`: after `<<-` a line has no tabs before it. */
async function hereText({ text, parts }: HereBody, strips: boolean, context: ExpansionContext): Promise<string> {
  if (parts === undefined) return strips ? withoutTabs(text, true) : text
  const stripped = strips ? parts.map((part, i) => (part.type === 'Literal' ? literalWithoutTabs(part, i === 0) : part)) : parts
  return expandParts(stripped, context)
}

function literalWithoutTabs<P extends { readonly text: string; readonly value: string }>(part: P, first: boolean): P {
  return { ...part, text: withoutTabs(part.text, first), value: withoutTabs(part.value, first) }
}

/** `first`: the text begins with a line. */
function withoutTabs(text: string, first: boolean): string {
  const inside = text.replace(/\n\t+/g, '\n')
  return first ? inside.replace(/^\t+/, '') : inside
}

function duplicate(descriptors: Descriptors, target: string): Descriptor {
  const known = /^\d+$/.test(target) ? descriptors.get(Number(target)) : undefined
  if (known === undefined) throw new ShellError(`${target}: Bad file descriptor`, 1)
  return known
}

/** Names under `/dev` that are not files. */
function device(name: string, descriptors: Descriptors, context: ExpansionContext): Descriptor | undefined {
  const number = {
    '/dev/stdin': 0,
    '/dev/stdout': 1,
    '/dev/stderr': 2,
    '/proc/self/fd/1': 1,
    '/proc/self/fd/2': 2,
  }[name]
  const main = { '/proc/1/fd/1': context.main?.stdout, '/proc/1/fd/2': context.main?.stderr }[name]
  if (main !== undefined) return { sink: main }
  if (number !== undefined) return descriptors.get(number) ?? NOTHING
  return name === '/dev/null' ? NOTHING : undefined
}

async function openForReading(name: string, descriptors: Descriptors, context: ExpansionContext): Promise<Descriptor> {
  const { state, files } = context
  const path = resolvePath(state.directory, name)
  return device(path, descriptors, context) ?? { input: inputOf(await named(name, 'open', () => files.read(path))) }
}

async function openForWriting(name: string, descriptors: Descriptors, context: ExpansionContext, append: boolean): Promise<Descriptor> {
  const { state, files } = context
  const path = resolvePath(state.directory, name)
  const known = device(path, descriptors, context)
  if (known !== undefined) return known
  await named(name, 'create', () => files.write(path, new Uint8Array(), { append }))
  return { sink: { write: (bytes) => files.write(path, bytes, { append: true }), end: async () => {} } }
}

async function named<T>(name: string, what: 'open' | 'create', open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const words = fileErrorWords(error)
    throw words === undefined ? error : new ShellError(`can't ${what} ${name}: ${words}`, 1)
  }
}
