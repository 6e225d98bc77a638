import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCommand, mainProgram, standsIn } from './find-command.ts'
import type { Program } from './program.ts'

const run: Program = () => 0
const own: Program = () => 1
const image = { run, commands: { '/app/tool': own, helper: own } }
type Main = Parameters<typeof mainProgram>[0]
const spec = (given: Partial<Main>): Main => ({ command: [], args: [], image: 'app', mounts: [], stdin: false, ...given })

const COMMANDS: readonly (readonly [word: string, found: 'own' | 'shipped' | 'none'])[] = [
  ['/app/tool', 'own'],
  ['tool', 'own'],
  ['/other/tool', 'none'],
  ['helper', 'own'],
  ['/anywhere/helper', 'own'],
  ['sh', 'shipped'],
  ['/bin/sh', 'shipped'],
  ['/opt/sh', 'none'],
  ['nosuch', 'none'],
]
for (const [word, wanted] of COMMANDS)
  test(`the command ${word} of an image is ${wanted === 'none' ? 'not found' : wanted}`, () => {
    const found = findCommand(word, image)
    assert.equal(found === undefined ? 'none' : found === own ? 'own' : 'shipped', wanted)
  })

const MAINS: readonly (readonly [what: string, given: Partial<Main>, argv: readonly string[] | undefined])[] = [
  ['a command of the manifest', { command: ['sh', '-c'], args: ['true'] }, ['sh', '-c', 'true']],
  ['arguments alone go to the entrypoint', { args: ['x'] }, ['app', 'x']],
  ['nothing is the entrypoint', {}, ['app']],
  ['a word that nobody knows goes to the image', { command: ['/nosuch', 'a'] }, ['/nosuch', 'a']],
]
for (const [what, given, argv] of MAINS)
  test(`the main process: ${what}`, () => {
    assert.deepEqual(mainProgram(spec(given), { image, shipped: false })?.argv, argv)
  })

test('without an image of ours, a shipped program plays the command only where it may', () => {
  const given = spec({ command: ['sh', '-c', 'true'] })
  assert.equal(mainProgram(given, { image: undefined, shipped: false }), undefined)
  assert.deepEqual(mainProgram(given, { image: undefined, shipped: true })?.argv, ['sh', '-c', 'true'])
})

test('a server replaces the shell that a manifest names or that the image would run', () => {
  assert.deepEqual(
    [standsIn([], image), standsIn(['/app/tool'], image), standsIn(['sh'], image), standsIn([], undefined)],
    [true, true, false, false],
  )
})
