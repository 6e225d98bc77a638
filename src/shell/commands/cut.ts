import type { Program } from '../processes/process.ts'
import { readCommandLine } from './command-line.ts'
import { mapLines } from './each-line.ts'

/** A list of ranges: `1,3-5,7-`. */
function readRanges(text: string): (position: number) => boolean {
  const ranges = text.split(',').map((part) => {
    const [, from, dash, to] = part.match(/^(\d*)(?:(-)(\d*))?$/) ?? []
    if (from === undefined || part === '' || part === '-') throw new Error(`bad range '${text}'`)
    return [Number(from || 1), dash === undefined ? Number(from) : Number(to || Number.MAX_SAFE_INTEGER)] as const
  })
  return (position) => ranges.some(([from, to]) => from <= position && position <= to)
}

/** `cut -d DELIMITER -f LIST [-s]`, `cut -c LIST` */
export const cut: Program = (process) => {
  const line = readCommandLine(process.argv.slice(1), 's', 'dfcb')
  const [fields, characters] = [line.value('f'), line.value('c') ?? line.value('b')]
  if (fields === undefined && characters === undefined) throw new Error('expected a list of bytes, characters, or fields')
  const takes = readRanges(fields ?? characters ?? '')
  const chosen = (parts: readonly string[], delimiter: string) => parts.filter((_, i) => takes(i + 1)).join(delimiter)
  if (fields === undefined) return mapLines(process, line.words, (text) => chosen([...text], ''))
  const delimiter = line.value('d') ?? '\t'
  return mapLines(process, line.words, (text) => {
    if (text.includes(delimiter)) return chosen(text.split(delimiter), delimiter)
    return line.has('s') ? undefined : text
  })
}
