import type { Json } from '../../machinery/object.ts'

/** The words of one line of facts: protobuf number (fields only), type, then flags and `key=value`. */
export class Words {
  readonly head: string
  readonly #words: readonly string[]

  constructor(text: string) {
    const words = text.split(' ')
    this.head = words[0] ?? ''
    this.#words = words
  }

  at(index: number): string {
    return this.#words[index] ?? ''
  }

  has(word: string): boolean {
    return this.#words.includes(word)
  }

  value(name: string): string | undefined {
    for (const word of this.#words) if (word.startsWith(name) && word[name.length] === '=') return word.slice(name.length + 1)
    return undefined
  }

  /** The facts about a type: enumeration, list and map types, default. */
  typeFacts(): Record<string, unknown> {
    const facts: Record<string, unknown> = {}
    const listed = this.value('enum')
    if (listed !== undefined) facts.enum = JSON.parse(listed)
    if (this.has('wrapped')) facts.wrapped = true
    const listType = this.value('listType')
    if (listType !== undefined) facts.listType = listType
    const keys = this.value('listMapKeys')
    if (keys !== undefined) facts.listMapKeys = keys.split(',')
    const mapType = this.value('mapType') ?? this.value('structType')
    if (mapType !== undefined) facts.mapType = mapType
    const fallback = this.value('default')
    if (fallback !== undefined) facts.default = JSON.parse(fallback) as Json
    return facts
  }
}
