import type { Input, Process, Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { countCharacters } from '../words/characters.ts'
import { readCommandLine } from './command-line.ts'
import { eachInput } from './inputs.ts'

/** By the letters of `wc`: lines, words, bytes, characters. */
interface Counts {
  l: number
  w: number
  c: number
  m: number
}

async function count(input: Input, { signal }: Process): Promise<Counts> {
  const counts: Counts = { l: 0, w: 0, c: 0, m: 0 }
  const decoder = new TextDecoder()
  let inWord = false
  const add = (text: string) => {
    counts.m += countCharacters(text)
    counts.l += text.split('\n').length - 1
    counts.w += (text.match(/\S+/g)?.length ?? 0) - (inWord && /^\S/.test(text) ? 1 : 0)
    if (text !== '') inWord = /\S$/.test(text)
  }
  for (let piece = await input.read(signal); piece !== undefined; piece = await input.read(signal)) {
    counts.c += piece.length
    add(decoder.decode(piece, { stream: true }))
  }
  add(decoder.decode())
  return counts
}

/** `wc [-lwcm] [FILE…]` */
export const wc: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'lwcm')
  const requested = (['l', 'w', 'c', 'm'] as const).filter((kind) => line.has(kind))
  const kinds = requested.length === 0 ? (['l', 'w', 'c'] as const) : requested
  const total: Counts = { l: 0, w: 0, c: 0, m: 0 }
  const print = (counts: Counts, name: string) =>
    writeText(process.stdout, `${[...kinds.map((kind) => String(counts[kind])), ...(name === '-' ? [] : [name])].join(' ')}\n`)
  const status = await eachInput(process, line.words, async (input, name) => {
    const counts = await count(input, process)
    for (const kind of kinds) total[kind] += counts[kind]
    await print(counts, name)
  })
  if (line.words.length > 1) await print(total, 'total')
  return status
}
