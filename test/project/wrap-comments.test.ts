import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMENT_COLUMNS, wideComments, wrapComments } from '../../scripts/wrap-comments.ts'

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')

for (const [name, line, starts] of [
  ['a line comment', `  // ${words(60)}`, ['  // word', '  // word', '  // word']],
  ['a doc comment of one line', `/** ${words(40)} */`, ['/**', ' * word', ' * word', ' */']],
  ['the first line of a doc comment', `/** ${words(40)}`, ['/**', ' * word', ' * word']],
  ['a line of a doc comment', `   * ${words(40)}`, ['   * word', '   * word']],
  ['its last line', `   * ${words(40)} */`, ['   * word', '   * word', '   */']],
  ['code', `const x = '${words(60)}'`, ["const x = 'word"]],
  ['a comment that fits', `// ${words(10)}`, ['// word']],
] as const)
  test(`wide comments: ${name}`, () => {
    const lines = wrapComments(line).split('\n')
    assert.deepEqual(
      lines.map((l, i) => l.slice(0, starts[i]?.length)),
      starts,
    )
    if (name !== 'code') assert.ok(lines.every((l) => l.length <= COMMENT_COLUMNS))
    assert.equal(lines.join(' ').match(/word/g)?.length, line.match(/word/g)?.length)
  })

test('the rest of a long line is joined with its paragraph', () => {
  const text = ['/**', ` * ${words(30)}`, ' * more', ' * and more', ' *', ' * next', ' */'].join('\n')
  assert.deepEqual(wrapComments(text).split('\n'), ['/**', ` * ${words(27)}`, ` * ${words(3)} more and more`, ' *', ' * next', ' */'])
})

for (const next of ['- item', '@throws {X} when', '```ts', '| a | b |', '1. first', ' indented'])
  test(`${next} begins a paragraph`, () => {
    const lines = wrapComments(`// ${words(30)}\n// ${next}`).split('\n')
    assert.deepEqual(lines.slice(1), [`// ${words(3)}`, `// ${next}`])
  })

test('a word that is too long stays whole', () => {
  const url = `https://example.com/${'x'.repeat(200)}`
  assert.deepEqual(wrapComments(`// see ${url} there`).split('\n'), ['// see', `// ${url}`, '// there'])
})

test('wide lines are counted from 1, and code is not a comment', () => {
  assert.deepEqual(wideComments(['', `// ${words(60)}`, `const x = '${words(60)}'`].join('\n')), [2])
})
