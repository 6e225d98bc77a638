import { styleText } from 'node:util'
import type { Tone } from '../../page/wire/object-name.ts'
import type { RelatedObject } from '../../page/wire/overview.ts'

const MARKS: Readonly<Record<Tone, string>> = { '': '●', bad: '▲', busy: '◐', done: '✓' }
const COLOURS = { '': 'green', bad: 'red', busy: 'yellow', done: 'gray' } as const

/** A tree of objects, in the order in which it is walked, one line each. */
export function treeText(tree: readonly RelatedObject[]): string {
  return tree.map((object, i) => `${branches(tree, i)}${objectText(object)}`).join('\n')
}

function objectText({ tone, kind, namespace, name, health, self }: RelatedObject): string {
  const full = `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`
  const why = health === '' ? '' : `  ${health}`
  return `${styleText(COLOURS[tone], MARKS[tone])} ${self ? styleText('bold', full) : full}${why}`
}

/** The lines from the owners: `│  ├─ `. */
function branches(tree: readonly RelatedObject[], at: number): string {
  const depth = tree[at]?.depth ?? 0
  let text = ''
  for (let level = 1; level <= depth; level++) {
    const goesOn = hasNext(tree, at, level)
    text += level === depth ? (goesOn ? '├─ ' : '└─ ') : goesOn ? '│  ' : '   '
  }
  return text
}

/** Whether another object of this depth follows, before one that is nearer to the root. */
function hasNext(tree: readonly RelatedObject[], at: number, level: number): boolean {
  for (let i = at + 1; i < tree.length; i++) {
    const depth = tree[i]?.depth ?? 0
    if (depth < level) return false
    if (depth === level) return true
  }
  return false
}
