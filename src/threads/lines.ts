import type { WatchEvent } from '../machinery/api-call.ts'
import { sentJson } from '../machinery/json/sent-json.ts'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import type { ObjectTexts } from './object-texts.ts'

const LINE_END = 0x0a

/** The lines of a message, each a text of its own: what is kept of one does not keep the others. */
function* linesIn(message: Buffer): Generator<string> {
  for (let from = 0; from < message.length; ) {
    const end = message.indexOf(LINE_END, from)
    const to = end < 0 ? message.length : end
    if (to > from) yield message.toString('utf8', from, to)
    from = to + 1
  }
}

/** A line is `{"type":"ADDED","object":{…}}`: by the first letter of the type, the type and the length of the text before the object. */
const TYPES: Readonly<Record<string, { readonly type: WatchEvent['type']; readonly before: number }>> = Object.fromEntries(
  (['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const).map((type) => [type[0], { type, before: `{"type":"${type}","object":`.length }]),
)
const TYPE_AT = '{"type":"'.length

/** The events of a message of a watch. */
export function eventsIn(message: Buffer, texts: ObjectTexts): readonly WatchEvent[] {
  const events: WatchEvent[] = []
  for (const line of linesIn(message)) {
    const known = TYPES[line.charAt(TYPE_AT)]
    if (known === undefined) throw new Error(`invariant: a watch has events, and no ${line.slice(0, 40)}`)
    events.push({ type: known.type, object: texts.object(line.slice(known.before, -1)) })
  }
  return events
}

/** Puts a list together from its lines. */
export class ListReader {
  readonly #texts: ObjectTexts
  #head: JsonObject | undefined
  readonly #items: KubeObject[] = []

  constructor(texts: ObjectTexts) {
    this.#texts = texts
  }

  read(message: Buffer): void {
    for (const line of linesIn(message)) {
      if (this.#head === undefined) this.#head = sentJson(line) as JsonObject
      else this.#items.push(this.#texts.object(line))
    }
  }

  get list(): KubeObject {
    return { ...this.#head, items: this.#items } as unknown as KubeObject
  }
}
