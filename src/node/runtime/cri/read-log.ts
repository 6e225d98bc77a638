import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Clock } from '../../../base/clock.ts'
import { pause } from '../../../base/pause.ts'
import type { LogOptions } from '../runtime.ts'
import { parseLogLine, shownLine } from './log-lines.ts'

export interface LogSource {
  readonly path: string
  readonly clock: Clock
  /** Whether its container may still write. */
  readonly running: () => Promise<boolean>
}

const CHUNK_BYTES = 64 * 1024
/** How often a file that is followed is looked at. */
const FOLLOW_MS = 200
/** How often the state of a container is read while its log is followed. */
const ALIVE_MS = 1000
const NEWLINE = 0x0a

/** What a log file holds, in pieces that end with whole lines; with `follow`, what comes too, also when the file is rotated. */
export async function* readLog(source: LogSource, options: LogOptions, signal: AbortSignal): AsyncGenerator<string> {
  let file = await open(source.path, 'r')
  try {
    const { size } = await file.stat()
    // What is written from now on belongs to those who follow.
    const end = options.follow === true ? Number.POSITIVE_INFINITY : size
    let position = options.tailLines === undefined ? 0 : await tailStart(file, options.tailLines, size)
    let checkedMs = 0
    let alive = options.follow === true
    for (;;) {
      const read = await linesFrom(file, position, end)
      position = read.position
      const text = shown(read.lines, options)
      if (text !== '') yield text
      if (read.lines.length > 0) continue
      if (!alive || signal.aborted) return
      if (await isRotated(file, source.path)) {
        await file.close()
        file = await open(source.path, 'r')
        position = 0
        continue
      }
      const now = source.clock.monotonic()
      if (now - checkedMs >= ALIVE_MS) {
        checkedMs = now
        // What it wrote last is read once more.
        try {
          alive = await source.running()
        } catch (error) {
          // The question is aborted with its follower.
          if (signal.aborted) return
          throw error
        }
        if (!alive) continue
      }
      await pause(source.clock, FOLLOW_MS, signal)
    }
  } finally {
    await file.close()
  }
}

function shown(lines: readonly string[], { sinceMs = 0, timestamps }: LogOptions): string {
  let text = ''
  for (const raw of lines) {
    const line = parseLogLine(raw)
    if (line !== undefined && line.atMs >= sinceMs) text += shownLine(line, { timestamps })
  }
  return text
}

/** The whole lines between two positions, and where the last of them ends. */
async function linesFrom(
  file: FileHandle,
  start: number,
  last: number,
): Promise<{ readonly lines: readonly string[]; readonly position: number }> {
  const parts: Buffer[] = []
  for (let position = start; ; ) {
    const length = Math.min(CHUNK_BYTES, last - position)
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
    const chunk = buffer.subarray(0, bytesRead)
    position += bytesRead
    const end = chunk.lastIndexOf(NEWLINE)
    parts.push(chunk.subarray(0, end + 1))
    if (end >= 0) {
      const bytes = Buffer.concat(parts)
      return { lines: bytes.toString('utf8', 0, bytes.length - 1).split('\n'), position: start + bytes.length }
    }
    if (bytesRead === 0) return { lines: [], position: start }
    parts[parts.length - 1] = chunk
  }
}

/** Where the last so many lines begin. */
async function tailStart(file: FileHandle, lines: number, size: number): Promise<number> {
  if (lines <= 0) return size
  let found = 0
  for (let end = size; end > 0; ) {
    const length = Math.min(CHUNK_BYTES, end)
    const { buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, end - length)
    for (let at = length - 1; at >= 0; at--) {
      // The newline that ends the file ends the last line, and begins none.
      if (buffer[at] === NEWLINE && end - length + at < size - 1 && ++found === lines) return end - length + at + 1
    }
    end -= length
  }
  return 0
}

async function isRotated(file: FileHandle, path: string): Promise<boolean> {
  const [own, current] = await Promise.all([file.stat(), stat(path).catch(() => undefined)])
  return current !== undefined && current.ino !== own.ino
}
