/** The commands that pages show: each `sh` block is run by a test or listed with the reason, and every command and flag of ours exists. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'

const root = path.join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const PAGES = globSync('{*.md,docs/*.md,templates/**/*.md,packages/*/*.md,examples/**/*.md}', { cwd: root }).sort()
const FENCE = /^```(\w+)(.*)\n([\s\S]*?)^```$/gm
const LISTED = path.join('test', 'project', 'commands-not-walked.txt')

interface Shown {
  readonly page: string
  readonly text: string
}

/** A page with comments and continued lines of its commands joined. */
const plain = (page: string) =>
  read(page)
    .replaceAll(/ *\\\n */g, ' ')
    .replaceAll(/ +# .*$/gm, '')

const program = await createProgram(undefined)
const scripts = JSON.parse(read('package.json')).scripts as Readonly<Record<string, string>>

/** What follows `bowsprit` in code. */
function shownCommands(page: string): Shown[] {
  const code = [...plain(page).matchAll(/^```(?:sh|ya?ml|text|json)\b.*\n([\s\S]*?)^```$|`([^`\n]+)`/gm)].map((m) => m[1] ?? m[2] ?? '')
  const found = code.flatMap((text) => [
    ...text.matchAll(/(?:^|[\s(])(?:npx |kubectl |run )?bowsprit(?! needs)(?: --)?((?: [^\s|;&)`"'<>…]+)+)/gm),
  ])
  return found.map(([, text = '']) => ({ page, text: text.trim() }))
}

/** The first fault of a command: an unknown command or flag; undefined if there is none. */
function faultOf({ text }: Shown): string | undefined {
  let command: Command = program
  let value = false
  for (const word of text.split(/ +/)) {
    const [flag = '', given] = word.split('=')
    const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag)
    const sub = command.commands.find((each) => each.name() === word)
    if (flag.startsWith('--') && flag !== '--' && option === undefined && flag !== '--help' && command.name() !== 'apiserver')
      return `${command.name()} has no option ${flag}`
    if (sub === undefined && command === program && /^[a-z][a-z-]+$/.test(word)) return `there is no command ${word}`
    // What follows belongs to the program that the command starts.
    if (word === '--' || (!value && sub === undefined && !flag.startsWith('-') && command.registeredArguments.at(-1)?.variadic === true))
      return undefined
    value = option?.required === true && given === undefined
    command = sub ?? command
  }
  return undefined
}

/** With those of the commands below it, of which one may be the default. */
const optionsOf = (command: Command) => [command, ...command.commands].flatMap((each) => each.options)

for (const page of PAGES)
  test(`${page}: commands and flags of bowsprit exist, and so do scripts of npm`, () => {
    const faults = shownCommands(page).flatMap((shown) => faultOf(shown) ?? [])
    assert.deepEqual(faults, [])
    const named = [...plain(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    const own = /^(docs\/|[A-Z]+\.md)/.test(page) ? named.filter((name) => !Object.hasOwn(scripts, name) && name !== 'types') : []
    assert.deepEqual(own, [])
  })

/** Blocks that no test walks: `PAGE first words: why`. */
test('each block of commands is walked by a test, or listed with the reason', () => {
  const bare = PAGES.flatMap((page) =>
    [...read(page).matchAll(FENCE)]
      .filter(([, language, mark = '']) => language === 'sh' && mark.trim() === '')
      .map(
        ([, , , content = '']) =>
          `${page}: ${content
            .split(/ *\\?\n| +# /)[0]
            ?.slice(0, 60)
            .trim()}`,
      ),
  )
  const listed = read(LISTED)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' | '))
  assert.deepEqual(
    listed.filter(([, why = '']) => why.trim() === '').map(([block]) => block),
    [],
  )
  assert.deepEqual(listed.map(([block = '']) => block.trim()).sort(), [...new Set(bare)].sort())
})
