import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { createProgram } from '../program.ts'
import { runCommand } from '../run-command.double.ts'

const script = async (shell: string) => (await runCommand(await createProgram('completion'), 'completion', shell)).out

/** What bash offers for the last of these words. */
function offered(script: string, words: readonly string[]): readonly string[] {
  const line = `${script}\nCOMP_WORDS=(bowsprit ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _bowsprit; echo "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim().split(' ')
}

const OFFERED: readonly [words: readonly string[], expected: readonly string[]][] = [
  [['sta'], ['status']],
  [['up', '--cluster-c'], ['--cluster-cidr']],
  [['up', '--name', 'x', '--eph'], ['--ephemeral']],
  [
    ['up', '--log-format', ''],
    ['text', 'json'],
  ],
  [['up', '--threads', 'f'], ['false']],
  [['devices', 'te'], ['test']],
  [['devices', 'test', '--pat'], ['--patience']],
  [['up', '--devices', 'x'], ['']],
  [['nothing', 'sta'], ['status']],
]
const bash = await script('bash')
for (const [words, expected] of OFFERED)
  test(`bash offers for ${JSON.stringify(words)}`, () => assert.deepEqual(offered(bash, words), expected))

test('zsh gets the same, by its emulation of bash', async () => assert.ok((await script('zsh')).endsWith(bash)))

test('fish gets every command and option, with its description', async () => {
  const fish = await script('fish')
  assert.match(
    fish,
    /^complete -c bowsprit -n 'not __fish_seen_subcommand_from up .*' -f -a up -d 'start a cluster, and keep it until Ctrl-C'$/m,
  )
  assert.match(fish, /^complete -c bowsprit -n '__fish_seen_subcommand_from up' -l nodes -r -d 'the number of simulated nodes/m)
  assert.match(fish, /^complete -c bowsprit -n '__fish_seen_subcommand_from devices; and __fish_seen_subcommand_from test' -l patience -r/m)
  for (const line of fish.trimEnd().split('\n')) assert.match(line, /^complete -c bowsprit -n '[^']*' .* -d '([^'\\]|\\.)*'$/)
})

test('another shell is refused', async () => {
  const { code, err } = await runCommand(await createProgram('completion'), 'completion', 'tcsh')
  assert.deepEqual([code, err], [2, 'bowsprit completion: shell: "tcsh" is none of bash, zsh, fish\n'])
})
