/** The small changes of a source that its tests should notice. */
import { blankOut } from './blank-out.ts'

export interface Mutant {
  readonly file: string
  readonly source: string
  readonly line: number
  readonly before: string
  readonly after: string
}

/** What is looked for in code, and what it becomes. */
const CHANGES: readonly (readonly [pattern: RegExp, to: (found: string) => string])[] = [
  [/===|!==/g, (op) => (op === '===' ? '!==' : '===')],
  [/ (?:<|>|<=|>=) /g, (op) => ({ ' < ': ' <= ', ' <= ': ' < ', ' > ': ' >= ' })[op] ?? ' > '],
  [/&&|\|\|(?!=)/g, (op) => (op === '&&' ? '||' : '&&')],
  [/(?<=[\w)\]]) [+-] (?=[\w(])/g, (op) => (op === ' + ' ? ' - ' : ' + ')],
  [/\b(?:true|false)\b/g, (word) => (word === 'true' ? 'false' : 'true')],
  [/\bif \(/g, () => 'if (!'],
  [/(?<![\w.$])-?\d+(?![\w.])/g, (n) => String(Number(n) + 1)],
  [/\?\?=|\|\|=/g, () => '='],
  [/(?<=[(&|=] ?)!(?=[\w(])/g, () => ''],
  [/^ +\w+\.push\(.*\)$/gm, () => ''],
]

/** A line that only decides when an algorithm in steps yields: its result is the same at any pace (`base/steps.ts`). */
const PACE = /\bpace\.due\(/

/** Every mutant of a source, in the order of its places. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const code = blankOut(source)
  const mutants: Mutant[] = []
  for (const [pattern, to] of CHANGES)
    for (const { index, 0: found } of code.matchAll(pattern)) {
      const mutant = found.startsWith('if (') ? negated(source, code, index) : replaced(source, index, found.length, to(found))
      if (mutant === undefined) continue
      const described = describe(file, source, mutant, index)
      if (!PACE.test(described.before)) mutants.push(described)
    }
  return mutants.sort((a, b) => a.line - b.line)
}

const replaced = (source: string, at: number, length: number, by: string): string => source.slice(0, at) + by + source.slice(at + length)

/** `if (a && b)` → `if (!(a && b))`. Undefined where the condition does not end. */
function negated(source: string, code: string, at: number): string | undefined {
  const open = code.indexOf('(', at)
  let depth = 0
  for (let i = open; i < code.length; i++) {
    if (code[i] === '(') depth++
    else if (code[i] === ')' && --depth === 0) return `${source.slice(0, open)}(!${source.slice(open, i + 1)})${source.slice(i + 1)}`
  }
  return undefined
}

function describe(file: string, source: string, mutated: string, at: number): Mutant {
  const line = source.slice(0, at).split('\n').length
  const lineOf = (text: string) => text.split('\n')[line - 1]?.trim() ?? ''
  return { file, source: mutated, line, before: lineOf(source), after: lineOf(mutated) }
}
