import { onAbort } from '../../base/on-abort.ts'
import type { ByteSink } from '../../machinery/streams.ts'
import type { Input, Terminal } from './process.ts'

const [CTRL_C, CTRL_D, BACKSPACE, NEWLINE, RETURN, CTRL_U, CTRL_W, CTRL_BACKSLASH, DELETE] = [3, 4, 8, 10, 13, 21, 23, 28, 127]
/** A longer line is passed on in pieces, as by Linux. */
const LONGEST_LINE = 4095

export interface TerminalEnds {
  /** What is typed, as it comes. */
  readonly keys: Input
  readonly screen: ByteSink
  /** A key sent a signal (`INT`). */
  readonly signal: (name: string) => void
}

/** The side of a program. */
export interface OpenTerminal {
  readonly stdin: Input
  readonly stdout: ByteSink & { readonly terminal: Terminal }
  readonly terminal: Terminal
  /** Reads the keys until their end. */
  run(): Promise<void>
}

/** The line discipline of a Unix terminal: echo, line editing, keys that send signals, and `\n` that begins a line. */
export function openTerminal({ keys, screen, signal }: TerminalEnds): OpenTerminal {
  const terminal: Terminal = { size: { width: 0, height: 0 }, echo: true, canonical: true }
  const handed = handedLines()
  const stdout = { terminal, write: (bytes: Uint8Array) => screen.write(withReturns(bytes)), end: () => screen.end() }
  const line: number[] = []
  let shown: number[] = []
  const show = (text: string) => {
    if (terminal.echo) shown.push(...Buffer.from(text))
  }
  const flush = async () => {
    if (shown.length === 0) return
    const bytes = Uint8Array.from(shown)
    shown = []
    await screen.write(bytes)
  }
  const hand = async () => {
    await flush()
    await handed.push(Uint8Array.from(line))
    line.length = 0
  }
  const erase = (upTo: () => boolean) => {
    let erased = 0
    while (line.length > 0 && upTo()) {
      // The bytes of one character go together.
      while (((line.pop() ?? 0) & 0xc0) === 0x80);
      erased++
    }
    show('\b \b'.repeat(erased))
  }
  const typed = async (key: number): Promise<void> => {
    switch (key) {
      case CTRL_C:
      case CTRL_BACKSLASH:
        line.length = 0
        show(key === CTRL_C ? '^C' : '^\\')
        await flush()
        return signal(key === CTRL_C ? 'INT' : 'QUIT')
      case CTRL_D:
        // A read gets what there is; an empty line is the end of input, for the current read only.
        return hand()
      case BACKSPACE:
      case DELETE: {
        const { length } = line
        return erase(() => line.length === length)
      }
      case CTRL_U:
        return erase(() => true)
      case CTRL_W:
        erase(() => line.at(-1) === 0x20)
        return erase(() => line.at(-1) !== 0x20)
      case RETURN:
      case NEWLINE:
        line.push(NEWLINE)
        show('\r\n')
        return hand()
      default:
        line.push(key)
        if (key >= 0x20 || key === 9) {
          if (terminal.echo) shown.push(key)
        } else show(`^${String.fromCharCode(key + 64)}`)
        if (line.length >= LONGEST_LINE) await hand()
    }
  }
  return {
    stdin: { ...handed.input, terminal },
    stdout,
    terminal,
    async run() {
      for (let bytes = await keys.read(); bytes !== undefined; bytes = await keys.read()) {
        for (let i = 0; i < bytes.length; i++) {
          if (terminal.canonical) await typed(bytes[i] ?? 0)
          else {
            const rest = bytes.subarray(i)
            if (terminal.echo) await screen.write(withReturns(rest))
            await handed.push(rest.map((key) => (key === RETURN ? NEWLINE : key)))
            break
          }
        }
        await flush()
      }
      if (line.length > 0) await hand()
      handed.end()
    },
  }
}

/** As much as is typed ahead. */
const MOST_AHEAD = 65_536

/** The typed lines, in chunks; an empty one is the end of input for the read that gets it, and not for the next. */
function handedLines() {
  const pieces: Uint8Array[] = []
  let held = 0
  let ended = false
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const go of waiting) go()
    waiting.clear()
  }
  const change = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        listening[Symbol.dispose]()
        resolve()
      }
      waiting.add(go)
      const listening = onAbort(signal, () => {
        waiting.delete(go)
        reject(signal?.reason)
      })
    })
  const input: Input = {
    async read(signal) {
      signal?.throwIfAborted()
      while (pieces.length === 0 && !ended) await change(signal)
      const piece = pieces.shift()
      held -= piece?.length ?? 0
      wake()
      return piece?.length === 0 ? undefined : piece
    },
    unread(bytes) {
      if (bytes.length === 0) return
      pieces.unshift(bytes)
      held += bytes.length
    },
  }
  return {
    input,
    async push(bytes: Uint8Array): Promise<void> {
      while (held >= MOST_AHEAD) await change()
      pieces.push(bytes)
      held += bytes.length
      wake()
    },
    end(): void {
      ended = true
      wake()
    },
  }
}

/** A new line begins at its start. */
function withReturns(bytes: Uint8Array): Uint8Array {
  let extra = 0
  for (const byte of bytes) if (byte === NEWLINE) extra++
  if (extra === 0) return bytes
  const wide = new Uint8Array(bytes.length + extra)
  let at = 0
  for (const byte of bytes) {
    if (byte === NEWLINE) wide[at++] = RETURN
    wide[at++] = byte
  }
  return wide
}
