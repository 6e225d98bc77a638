import { EVENT_ID, type Event, getScalarValue, parseEvents } from 'js-yaml'
import { lineEnds, linesBefore } from './line-ends.ts'

/** One document of a file: its text, and the line of the file on which it begins. */
export interface Document {
  readonly text: string
  readonly firstLine: number
}

/** The documents of a YAML file. */
export function splitDocuments(text: string): Document[] {
  const documents: Document[] = []
  let lines: string[] = []
  let firstLine = 1
  const end = (next: number) => {
    if (lines.some((l) => l.trim() !== '' && !l.trimStart().startsWith('#'))) documents.push({ text: lines.join('\n'), firstLine })
    lines = []
    firstLine = next
  }
  for (const [i, line] of text.split('\n').entries()) {
    if (/^---(\s|$)/.test(line)) end(i + 2)
    else lines.push(line)
  }
  end(0)
  return documents
}

/** Finds the line of a field. */
export interface LineMap {
  /** The line of `spec.a[0].b`, or of what comes nearest to it. */
  lineOf(path: string): number
}

/** Reads the lines of all fields of a document. */
export function lineMap({ text, firstLine }: Document): LineMap {
  const starts = new Map<string, number>()
  const ends = lineEnds(text)
  const reader = new PlaceReader(text, parseEvents(text, {}), (path, offset) => starts.set(path, firstLine + linesBefore(ends, offset)))
  reader.read()
  return {
    lineOf(path) {
      let steps = stepsOf(path)
      for (;;) {
        const found = starts.get(JSON.stringify(steps))
        if (found !== undefined) return found
        if (steps.length === 0) return firstLine
        steps = steps.slice(0, -1)
      }
    },
  }
}

/** `a.b[0][x.y/z].c` → a, b, 0, x.y/z, c. */
function stepsOf(path: string): string[] {
  const steps = [...path.matchAll(/\["?(?<key>.*?)"?\]|(?<name>[^.[\]]+)/g)]
  return steps.map(({ groups }) => groups?.key ?? groups?.name ?? '').filter((step) => step !== '<nil>')
}

class PlaceReader {
  readonly #text: string
  readonly #events: readonly Event[]
  readonly #found: (path: string, offset: number) => void
  #at = 1

  constructor(text: string, events: readonly Event[], found: (path: string, offset: number) => void) {
    this.#text = text
    this.#events = events
    this.#found = found
  }

  read(): void {
    if (this.#events[0]?.type === EVENT_ID.DOCUMENT) this.#node([])
  }

  #node(path: readonly string[]): void {
    const event = this.#events[this.#at++]
    if (event === undefined) return
    if (event.type === EVENT_ID.SEQUENCE) {
      for (let i = 0; this.#more(); i++) {
        const item = [...path, String(i)]
        this.#note(item)
        this.#node(item)
      }
      this.#at++
    } else if (event.type === EVENT_ID.MAPPING) {
      while (this.#more()) {
        const key = this.#events[this.#at]
        const name = key?.type === EVENT_ID.SCALAR ? getScalarValue(this.#text, key) : ''
        const field = [...path, name]
        this.#note(field)
        this.#at++
        this.#node(field)
      }
      this.#at++
    }
  }

  #more(): boolean {
    const event = this.#events[this.#at]
    return event !== undefined && event.type !== EVENT_ID.POP
  }

  #note(path: readonly string[]): void {
    const event = this.#events[this.#at]
    const offset = event === undefined ? undefined : 'valueStart' in event ? event.valueStart : 'start' in event ? event.start : undefined
    if (typeof offset === 'number') this.#found(JSON.stringify(path), offset)
  }
}
