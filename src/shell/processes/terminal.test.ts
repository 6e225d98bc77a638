import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../base/clock.ts'
import { COMMANDS } from '../commands/commands.ts'
import { createScriptReader } from '../script-reader.ts'
import { collect } from '../texts.ts'
import { Pacer } from './pacer.ts'
import { createPipe, inputOf } from './pipe.ts'
import { createContainer } from './process.double.ts'
import { openTerminal } from './terminal.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** What programs read and the screen shows when somebody types this. */
async function type(keys: string): Promise<{ read: string; screen: string; signals: string[] }> {
  const screen: Uint8Array[] = []
  const signals: string[] = []
  const sink = { write: async (b: Uint8Array) => void screen.push(b), end: async () => {} }
  const { stdin, run } = openTerminal({ keys: inputOf(bytes(keys)), screen: sink, signal: (name) => void signals.push(name) })
  const done = run()
  const read = await collect(stdin, 1 << 20)
  await done
  return { read, screen: Buffer.concat(screen).toString(), signals }
}

for (const [keys, read, screen, signals = []] of [
  ['ls\r', 'ls\n', 'ls\r\n'],
  ['ab\x7fc\n', 'ac\n', 'ab\b \bc\r\n'],
  ['é\x7fe\n', 'e\n', 'é\b \be\r\n'],
  ['a b\x17c\n', 'a c\n', 'a b\b \bc\r\n'],
  ['abc\x15d\n', 'd\n', 'abc\b \b\b \b\b \bd\r\n'],
  ['half\x03ls\n', 'ls\n', 'half^Cls\r\n', ['INT']],
  ['a\x04', 'a', 'a'],
  ['\x7f\x15\x17ok\n', 'ok\n', 'ok\r\n'],
] as const)
  test(`lines are shown, corrected and handed on whole; keys send signals: ${JSON.stringify(keys)}`, async () =>
    assert.deepEqual(await type(keys), { read, screen, signals }, JSON.stringify(keys)))

test('property: any input loses only what it erases, and ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\r', 'é') }), async (keys) => {
      assert.equal((await type(keys)).read, keys.replaceAll('\r', '\n'))
    }),
  )
})

test('an end of the input is one for who reads then, and not for the next', async () => {
  const keys = createPipe()
  const sink = { write: async () => {}, end: async () => {} }
  const { stdin, run } = openTerminal({ keys: keys.input, screen: sink, signal: () => {} })
  const done = run()
  await keys.sink.write(bytes('one\n\x04two\n'))
  assert.equal(await collect(stdin, 100), 'one\n')
  await keys.sink.end()
  assert.equal(await collect(stdin, 100), 'two\n')
  await done
})

test('a shell prompts, goes on after mistakes, and an interrupt ends what runs and not the shell', async () => {
  const clock = new VirtualClock()
  const container = createContainer({ clock, programs: Object.fromEntries(COMMANDS) })
  const keys = createPipe()
  const shown: Uint8Array[] = []
  const screen = { write: async (b: Uint8Array) => void shown.push(b), end: async () => {} }
  const handlers: ((signal: string) => void)[] = []
  const { stdin, stdout, run } = openTerminal({ keys: keys.input, screen, signal: (name) => handlers[0]?.(name) })
  run().catch(() => {})
  const base = {
    environment: { HOME: '/root' },
    directory: '/',
    stdin,
    stdout,
    stderr: stdout,
    files: container.files,
    clock,
    pacer: new Pacer(clock),
  }
  const sh = COMMANDS.get('sh')
  assert.ok(sh)
  const exit = Promise.resolve(
    sh({
      ...base,
      pid: 1,
      argv: ['sh'],
      signal: new AbortController().signal,
      container: container.table,
      catchSignals: (caught) => void handlers.push((signal) => void caught(signal)),
    }),
  )
  const type = async (text: string) => {
    await keys.sink.write(bytes(text))
    await clock.advance(10)
  }
  const seen = () => Buffer.concat(shown.splice(0)).toString()
  await type('echo )\n')
  assert.match(seen(), /^\/ # echo \)\r\nsh: syntax error.*\r\n\/ # $/)
  await type('if true\nthen echo yes\nfi\n')
  assert.equal(seen(), 'if true\r\n> then echo yes\r\n> fi\r\nyes\r\n/ # ')
  await type('sleep 1000\n')
  assert.equal(seen(), 'sleep 1000\r\n')
  await type('\x03')
  assert.equal(seen(), '^C\r\n/ # ')
  await type('echo $?\nexit 4\n')
  assert.match(seen(), /130\r\n/)
  assert.equal(await exit, 4)
})

/** A script on standard input, cut into pieces as a stream may cut it. */
const SCRIPTS: readonly (readonly [script: string, commands: readonly string[]])[] = [
  ['echo a\necho b\n', ['echo a\n', 'echo b\n']],
  ['if true\nthen\n  echo x\nfi\necho y', ['if true\nthen\n  echo x\nfi\n', 'echo y']],
  ['cat <<E\n$(x\n"\nE\necho y\n', ['cat <<E\n$(x\n"\nE\n', 'echo y\n']],
  ['cat <<-"E O"\n\ta\n\tE O\nb\n', ['cat <<-"E O"\n\ta\n\tE O\n', 'b\n']],
  ['a \\\nb\nc\n', ['a \\\nb\n', 'c\n']],
  ['f() {\necho f\n}\nf\n', ['f() {\necho f\n}\n', 'f\n']],
  ['echo "a\nb"\nc &&\nd\n', ['echo "a\nb"\n', 'c &&\nd\n']],
  ['echo )\necho b\n', ['echo )\n', 'echo b\n']],
  ['cat <<E\nnever ended\n', ['cat <<E\nnever ended\n']],
]

test('a script that comes piece by piece is read command by command, wherever it is cut', async () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SCRIPTS), pieces, async ([script, commands], sizes) => {
      const pipe = createPipe()
      const whole = bytes(script)
      for (let at = 0, i = 0; at < whole.length; i++) {
        const size = sizes[i % sizes.length] ?? 1
        await pipe.sink.write(whole.slice(at, at + size))
        at += size
      }
      await pipe.sink.end()
      const reader = createScriptReader(pipe.input)
      const read: string[] = []
      const { signal } = new AbortController()
      for (let next = await reader.next(signal); next !== undefined; next = await reader.next(signal)) read.push(next)
      assert.deepEqual(read, commands)
    }),
  )
})
