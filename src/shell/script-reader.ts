import { type HereDoc, parse } from 'unbash'
import type { Input } from './processes/process.ts'
import { ShellError } from './shell-state.ts'
import { readLine } from './texts.ts'

/** A command that is longer is none. */
const LONGEST_COMMAND = 4 << 20
/** From here on a command that goes on and on is not looked at with each line, but when it has grown by an eighth. */
const LONG = 16_384

export interface ScriptReader {
  /** The next lines that are whole commands; at the end of the input also what is not whole. Undefined: there are no more. */
  next(signal: AbortSignal): Promise<string | undefined>
}

/**
 * Reads a script as a shell reads its standard input: no further than the command that it runs next, so that what is told as it goes is done as it goes, and a command
 * finds the lines after it. `before` is called before each line, with whether a command has begun and is not whole.
 */
export function createScriptReader(input: Input, before: (goesOn: boolean) => Promise<void> = async () => {}): ScriptReader {
  return {
    async next(signal) {
      let text = ''
      let checkAt = 0
      /** Of a here-document that was begun: the line that ends it. */
      let awaited: string | undefined
      for (;;) {
        await before(text !== '')
        const read = await readLine(input, signal)
        if (read === undefined) return text === '' ? undefined : text
        text += read.whole ? `${read.line}\n` : read.line
        if (text.length > LONGEST_COMMAND) throw new ShellError('a command is too long')
        if (!read.whole) return text
        if (awaited !== undefined && read.line.replace(/^\t+/, '') !== awaited) continue
        awaited = undefined
        if (text.length < checkAt) continue
        const missing = whatIsMissing(text)
        if (missing === undefined) return text
        awaited = missing.line
        if (text.length > LONG) checkAt = text.length + (text.length >> 3)
      }
    },
  }
}

/** Undefined: the text is whole commands, or nothing that follows could make it that. `line`: what ends the here-document that it stops in. */
function whatIsMissing(text: string): { readonly line?: string } | undefined {
  if (/(^|[^\\])(\\\\)*\\\n$/.test(text)) return {}
  const script = parse(text)
  const end = text.trimEnd().length
  const faults = script.errors ?? []
  if (faults.some(({ message, pos }) => message.startsWith('unterminated') || (message.startsWith('expected') && pos >= end))) return {}
  if (faults.length > 0) return undefined
  const line = text.includes('<<') ? openDocument(script) : undefined
  return line === undefined ? undefined : { line }
}

/** The line that would end the first here-document that is not ended. */
function openDocument(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isDocument(value) && value.closing === undefined) return value.delimiter?.value
  for (const inner of Object.values(value)) {
    const found = openDocument(inner)
    if (found !== undefined) return found
  }
  return undefined
}

function isDocument(value: object): value is HereDoc {
  return 'type' in value && value.type === 'HereDoc'
}
