interface Line {
  readonly atMs: number
  /** With its line end, if it has one. */
  readonly text: string
}

/** Lines packed into bytes: as objects they would take several times the memory. */
interface Block {
  readonly lastMs: number
  line(index: number): Line
}

/** The size of the time and the stream name before each line of a file. */
const LINE_HEAD_BYTES = 40
const LINES_IN_BLOCK = 1024

/** One file of a container's log, in memory. Most containers of a large cluster print nothing: an empty file allocates nothing. */
export class LogFile {
  /** The number of active readers. */
  readers = 0
  /** The following file; undefined: this is the current one. */
  next: LogFile | undefined
  #blocks: Block[] | undefined
  #open: Line[] | undefined
  #bytes = 0
  #count = 0

  /** Its size as a file on disk. */
  get bytes(): number {
    return this.#bytes
  }

  /** The number of lines. */
  get count(): number {
    return this.#count
  }

  append(text: string, atMs: number): void {
    this.#open ??= []
    this.#open.push({ text, atMs })
    this.#bytes += text.length + LINE_HEAD_BYTES
    this.#count++
    if (this.#open.length < LINES_IN_BLOCK) return
    this.#blocks ??= []
    this.#blocks.push(packed(this.#open))
    this.#open = []
  }

  /** Undefined: the line does not exist, or was dropped. */
  line(index: number): Line | undefined {
    const packedLines = (this.#blocks?.length ?? 0) * LINES_IN_BLOCK
    if (index >= packedLines) return this.#open?.[index - packedLines]
    return this.#blocks?.[Math.floor(index / LINES_IN_BLOCK)]?.line(index % LINES_IN_BLOCK)
  }

  /** The first line at that time or later; if there is none, the next one to come. */
  firstSince(atMs: number): number {
    const blocks = this.#blocks ?? []
    const block = blocks.findIndex(({ lastMs }) => lastMs >= atMs)
    let index = (block < 0 ? blocks.length : block) * LINES_IN_BLOCK
    while (index < this.#count && (this.line(index)?.atMs ?? atMs) < atMs) index++
    return index
  }

  /** Frees the lines. */
  drop(): void {
    this.#blocks = undefined
    this.#open = undefined
    this.#bytes = 0
  }
}

function packed(lines: readonly Line[]): Block {
  const text = Buffer.from(lines.map((line) => line.text).join(''))
  const ends = new Uint32Array(lines.length)
  const times = new Float64Array(lines.length)
  let end = 0
  for (const [i, line] of lines.entries()) {
    end += Buffer.byteLength(line.text)
    ends[i] = end
    times[i] = line.atMs
  }
  return {
    lastMs: lines.at(-1)?.atMs ?? 0,
    line: (index) => ({ atMs: times[index] ?? 0, text: text.toString('utf8', ends[index - 1] ?? 0, ends[index]) }),
  }
}
