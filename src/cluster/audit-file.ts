import { createWriteStream, openSync, type WriteStream } from 'node:fs'
import type { Logger } from '../base/logger.ts'
import { ConfigError } from './config.ts'

/** Lines on their way into a file. */
export interface AuditFile extends AsyncDisposable {
  /** Never throws, never waits. */
  write(line: string): void
}

/** What may wait for a slow disk; lines beyond are dropped, and that is logged. */
const MOST_WAITING = 64 * 1024 * 1024

/** Opens the file of audit events to append to it; `-` is standard output. A file that cannot be written is told now. */
export function openAuditFile(file: string, log: Logger): AuditFile {
  if (file === '-') return { write: (line) => void process.stdout.write(`${line}\n`), async [Symbol.asyncDispose]() {} }
  const stream = createWriteStream(file, { fd: opened(file) })
  let dropped = 0
  stream.on('error', (error) => log.error('audit events cannot be written', { file, error }))
  return {
    write(line) {
      if (stream.writableLength > MOST_WAITING) {
        if (dropped++ === 0) log.error('the disk is too slow for the audit log: events are dropped', { file })
      } else stream.write(`${line}\n`)
    },
    [Symbol.asyncDispose]: () => ended(stream),
  }
}

function opened(file: string): number {
  try {
    return openSync(file, 'a', 0o600)
  } catch (error) {
    throw new ConfigError(`--audit-log: ${file} cannot be written: ${error instanceof Error ? error.message : error}`)
  }
}

const ended = (stream: WriteStream) =>
  new Promise<void>((resolve) => {
    stream.once('close', () => resolve())
    stream.end()
  })
