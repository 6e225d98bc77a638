import { type HereDoc, parse } from 'unbash'
import type { Input } from './processes/process.ts'
import { ShellError } from './shell-state.ts'
import { readLine } from './texts.ts'

/** A command that is longer is none. */
const LONGEST_COMMAND = 4 << 20
/** From this size on, an incomplete command is parsed again only when it has grown by an eighth, not with each line. */
const LONG = 16_384

export interface ScriptReader {
  /** The next lines that are complete commands; at the end of the input also an incomplete rest. Undefined: the end. */
  next(signal: AbortSignal): Promise<string | undefined>
}

/**
 * Reads a script as a shell reads its standard input: only as far as the next command, so that commands are executed as they arrive, and a
 * command can read the lines after it. `before` is called before each line, with whether an incomplete command precedes it.
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

/**
 * Undefined: the text is whole commands, or nothing that follows could make it that. `line`: what ends the here-document that it stops in.
 */
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
