/** The files for containers, checked without a container engine: referenced files exist, and commands and flags are valid. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { runProgram } from '../run-program.ts'
import { root } from './starter.ts'

const text = (...names: string[]) => readFileSync(path.join(root, ...names), 'utf8')
const { name, bin, scripts, engines } = JSON.parse(text('package.json')) as {
  name: string
  bin: Record<string, string>
  scripts: Record<string, string>
  engines: { node: string }
}

/** The instructions of a Dockerfile, in order; continued lines are joined. */
const instructions = (file: string) =>
  file
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => {
      const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
      return word === '' ? [] : [{ word, rest }]
    })

const atLeast = (image: string | undefined) => Number(/node:(\d+)/.exec(image ?? '')?.[1]) >= Number(/\d+/.exec(engines.node)?.[0])

test('the image is built from this package, and runs an existing command with existing flags', async () => {
  const lines = instructions(text('Dockerfile'))
  const all = (word: string) => lines.filter((l) => l.word === word).map((l) => l.rest)
  assert.ok(all('FROM').every(atLeast), 'a Node that the package wants')
  const stages = all('FROM').flatMap((from) => / AS (\w+)/.exec(from)?.[1] ?? [])
  for (const copy of all('COPY')) {
    const from = /--from=(\w+) (\S+)/.exec(copy)
    if (from === null) continue
    assert.ok(stages.includes(from[1] ?? ''), copy)
    assert.ok(path.matchesGlob(`/tmp/${name}-1.2.3.tgz`, from[2] ?? ''), 'what npm pack makes')
  }
  // Build results of this machine must not get into the image.
  for (const left of ['node_modules', 'dist', '.git']) assert.ok(text('.dockerignore').split('\n').includes(left), left)
  const [program = ''] = JSON.parse(all('ENTRYPOINT').at(-1) ?? '[]') as string[]
  assert.ok(program in bin, program)
  await takes(JSON.parse(all('CMD').at(-1) ?? '[]') as string[])
})

test('the dev container starts a cluster whose kubeconfig is the one that it names', async () => {
  const container = JSON.parse(text('.devcontainer', 'devcontainer.json')) as Record<string, string> & { remoteEnv: { KUBECONFIG: string } }
  const known = ['name', 'image', 'features', 'remoteEnv', 'postCreateCommand', 'postStartCommand', 'forwardPorts']
  assert.deepEqual(
    Object.keys(container).filter((key) => !known.includes(key)),
    [],
  )
  assert.ok(atLeast(container.image))
  const [, script = '', flags = ''] = /npm run -s (\w+) -- (.*?) [<>]/.exec(container.postStartCommand ?? '') ?? []
  assert.ok(script in scripts, script)
  const words = flags.split(' ')
  assert.equal(container.remoteEnv.KUBECONFIG, `${words[words.indexOf('--data-dir') + 1]}/kubeconfig`)
  await takes(words)
})

/** Each flag exists in the command. */
async function takes([command = '', ...words]: readonly string[]): Promise<void> {
  const main = path.join(root, 'src', 'cli', 'main.ts')
  const { code, out } = await runProgram(process.execPath, ['--disable-warning=ExperimentalWarning', main, command, '--help'])
  assert.equal(code, 0)
  for (const flag of words.filter((w) => w.startsWith('--'))) assert.match(out, new RegExp(`${flag}\\b`))
}
