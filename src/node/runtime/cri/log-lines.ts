/**
 * A line of a log file in the format of the Container Runtime Interface: a time, the stream, `F` for a whole line or `P` for a part of one,
 * and the text.
 */
export interface LogLine {
  /** As it is written: `2026-01-01T00:00:00.000000000Z`. */
  readonly time: string
  readonly atMs: number
  readonly stream: string
  readonly partial: boolean
  readonly text: string
}

/** Undefined: it is not in that format. */
export function parseLogLine(line: string): LogLine | undefined {
  const match = /^(\S+) (stdout|stderr) ([^ ]+) ?/.exec(line)
  if (match === null) return undefined
  const [head, time = '', stream = '', tags = ''] = match
  const atMs = Date.parse(time)
  if (Number.isNaN(atMs)) return undefined
  return { time, atMs, stream, partial: tags.split(':')[0] === 'P', text: line.slice(head.length) }
}

/** What a client is shown of it. */
export function shownLine(line: LogLine, { timestamps = false }: { readonly timestamps?: boolean | undefined }): string {
  const text = line.partial ? line.text : `${line.text}\n`
  return timestamps ? `${line.time} ${text}` : text
}
