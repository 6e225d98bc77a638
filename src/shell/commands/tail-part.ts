import { readCount } from './command-line.ts'

const NEWLINE = 10

/** What `tail` prints of a file: its end, or (`+3`) everything from there on; in lines or bytes. */
export type TailPart = (bytes: Uint8Array) => Uint8Array

/** The part after so many lines. */
function afterLines(bytes: Uint8Array, count: number): Uint8Array {
  let at = 0
  for (let left = count; left > 0 && at < bytes.length; left--) {
    const end = bytes.indexOf(NEWLINE, at)
    at = end < 0 ? bytes.length : end + 1
  }
  return bytes.subarray(at)
}

/** So many lines from the end. */
function lastLines(bytes: Uint8Array, count: number): Uint8Array {
  if (count === 0) return new Uint8Array()
  // A last line without an end counts as one.
  let at = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length
  for (let left = count; at > 0; at--) if (bytes[at - 1] === NEWLINE && --left === 0) break
  return bytes.subarray(at)
}

/** Reads a count as `-n` and `-c` take it: `3`, `+3`. */
export function readPart(written: string, unit: 'bytes' | 'lines'): TailPart {
  const count = readCount(written)
  if (written.startsWith('+')) {
    const skipped = Math.max(0, count - 1)
    return unit === 'bytes' ? (bytes) => bytes.subarray(skipped) : (bytes) => afterLines(bytes, skipped)
  }
  const wanted = Math.abs(count)
  return unit === 'bytes' ? (bytes) => bytes.subarray(Math.max(0, bytes.length - wanted)) : (bytes) => lastLines(bytes, wanted)
}
