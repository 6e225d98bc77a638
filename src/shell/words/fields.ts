import { ShellError } from '../shell-state.ts'
import type { PatternPiece } from './pattern.ts'

/**
 * What a word has become before it is taken apart: texts as they are written or quoted, what came of expansions (to be split), and the
 * borders between the values of `"$@"`.
 */
export type Segment =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'split'; readonly text: string }
  | { readonly kind: 'border' }

/** A field: its pieces, so that what was quoted is no pattern. */
export type Field = readonly PatternPiece[]

/**
 * Field splitting, POSIX 2.6.5: blanks of `IFS` around are dropped, its other characters each end a field.
 * @throws {ShellError} for more than `most` fields
 */
export function splitFields(segments: readonly Segment[], separators: string, most: number): readonly Field[] {
  const fields: PatternPiece[][] = []
  let open: PatternPiece[] | undefined
  // The last field was ended by blanks: a separator that follows them ends the same field.
  let endedByBlanks = false
  const add = (piece: PatternPiece) => {
    endedByBlanks = false
    open ??= []
    open.push(piece)
  }
  const close = () => {
    if (open !== undefined) fields.push(open)
    open = undefined
    if (fields.length > most) throw new ShellError('argument list too long')
  }
  const known = new Set(separators)
  const isSeparator = (c: string) => known.has(c)
  const isBlank = (c: string) => isSeparator(c) && (c === ' ' || c === '\t' || c === '\n')
  for (const segment of segments) {
    if (segment.kind === 'border') close()
    else if (segment.kind === 'text') add(segment)
    else {
      let text = ''
      const flush = () => {
        if (text !== '') add({ text, quoted: false })
        text = ''
      }
      for (const c of segment.text) {
        if (!isSeparator(c)) text += c
        else {
          flush()
          const blank = isBlank(c)
          if (!blank && open === undefined && !endedByBlanks) fields.push([])
          endedByBlanks = blank && (endedByBlanks || open !== undefined)
          close()
        }
      }
      flush()
    }
  }
  close()
  return fields
}

export function textOf(pieces: readonly { readonly text: string }[]): string {
  return pieces.map((p) => p.text).join('')
}
