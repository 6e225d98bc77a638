import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { suite, test } from 'node:test'
import type { Command, Option } from 'commander'
import { createProgram } from './program.ts'
import { isMistake } from './report-failure.ts'
import { folderOf, runCommand } from './run-command.double.ts'
import { startFromFlags } from './start-from-flags.ts'
import { upCommand } from './up.ts'

/** Contents that no option takes. */
const WRONG: Readonly<Record<string, string>> = {
  'nothing at all': '',
  'a word': 'hello\n',
  'a list': '- a\n- b\n',
  'broken YAML': 'a: [b\nc: {',
  'an object of another kind': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
  bytes: '\u0000\u0001\u0089PNG\r\n',
}

/** Files that a command writes, or does not read as documents. */
const NO_DOCUMENTS: ReadonlySet<string> = new Set(
  'saveOnExit auditLog html json output writeConfigTo kubectl etcdCafile etcdCertfile etcdKeyfile'.split(' '),
)

/** These take any objects, or none. */
const OF_OBJECTS: ReadonlySet<string> = new Set(['filename', 'install', 'sample', 'role', 'step'])
const IN_OBJECTS: ReadonlySet<string> = new Set(['nothing at all', 'an object of another kind'])

/** kube-apiserver's own messages; encryption of a store that has to exist; `check` reads arguments. */
const ELSEWHERE: ReadonlySet<string> = new Set(['up', 'apiserver', 'export', 'import', 'check'])

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]
users: [{name: a, user: {}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
current-context: a
`
/** Of other options that a command needs, by their placeholders. */
const VALUES: Readonly<Record<string, string>> = { address: 'unix:///run/x.sock', socket: '/run/x.sock' }
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  verb: ['create'],
  kind: ['pod', 'web'],
  what: ['a.example.com'],
  command: ['true'],
}

const placeholderOf = ({ flags }: Option) => /[<[]([\w-]+)[>\]]/.exec(flags)?.[1] ?? ''
const readsFile = (option: Option) => ['file', 'shapes'].includes(placeholderOf(option)) && !NO_DOCUMENTS.has(option.attributeName())
const wrongFor = (option: Option) =>
  Object.entries(WRONG).filter(([what]) => !OF_OBJECTS.has(option.attributeName()) || !IN_OBJECTS.has(what))

interface Leaf {
  readonly words: readonly string[]
  readonly command: Command
}

function leaves(command: Command, words: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ words, command }]
  return command.commands.flatMap((sub) => leaves(sub, [...words, sub.name()]))
}

function assertNames(message: string, option: string, file: string): void {
  assert.ok(message.includes(option), `${message} does not name ${option}`)
  assert.ok(message.includes(file), `${message} does not name the file`)
  assert.ok(message.length < 700 && !/\n\s+at /.test(message), message)
}

suite('bowsprit up', () => {
  const withFlags: Readonly<Record<string, object>> = { auditPolicy: { auditLog: '-' }, fromEtcdSnapshot: { dataDir: undefined } }
  // It writes its kubeconfig; a cluster file has a test of its own.
  const options = upCommand().options.filter((option) => readsFile(option) && !['kubeconfig', 'file'].includes(option.attributeName()))
  for (const option of options)
    for (const [what, text] of wrongFor(option))
      test(`${option.long} does not take ${what}`, async (t) => {
        const name = option.attributeName()
        const at = folderOf(t, { 'given.yaml': text })
        const flags = { dataDir: at('data'), port: 0, ...withFlags[name], [name]: at('given.yaml') }
        await assert.rejects(startFromFlags(flags, {}), (error: Error) => {
          assert.ok(isMistake(error), String(error.stack))
          assertNames(error.message, option.long ?? '', at('given.yaml'))
          return true
        })
        assert.ok(!existsSync(at('data')), 'nothing is made before files are checked')
      })
})

test('up names --store for a certificate of an etcd that is none', async (t) => {
  const at = folderOf(t, { 'etcd.crt': 'hello\n' })
  const files = { etcdCertfile: at('etcd.crt'), etcdKeyfile: at('etcd.crt') }
  await assert.rejects(
    startFromFlags({ store: 'etcd=https://127.0.0.1:1', ...files, dataDir: at('data'), port: 0 }, {}),
    (error: Error) => {
      assert.ok(isMistake(error))
      assert.match(error.message, /^--store: error creating storage factory: .*etcd\.crt cannot be used: /)
      return true
    },
  )
})

for (const { words, command } of leaves(await createProgram(undefined)).filter(({ words: [first = ''] }) => !ELSEWHERE.has(first)))
  suite(`bowsprit ${words.join(' ')}`, () => {
    for (const option of command.options.filter(readsFile))
      for (const [what, text] of wrongFor(option))
        test(`${option.long} does not take ${what}`, async (t) => {
          const at = folderOf(t, { 'given.yaml': text, kubeconfig: KUBECONFIG, 'operator.mjs': 'export default async () => {}' })
          const needed = command.options.filter((other) => other.mandatory && other !== option)
          const { code, out, err } = await runCommand(
            await createProgram(words[0]),
            ...words,
            ...needed.map((other) => `${other.long}=${VALUES[placeholderOf(other)] ?? at('kubeconfig')}`),
            ...(['step', 'replay', 'answers'].includes(option.attributeName()) ? [`--module=${at('operator.mjs')}`] : []),
            `${option.long}=${at('given.yaml')}`,
            ...command.registeredArguments.flatMap((a) => ARGUMENTS[a.name()] ?? (a.required ? [a.name()] : [])),
          )
          assert.deepEqual({ code, out, lines: err.trimEnd().split('\n').length }, { code: 2, out: '', lines: 1 }, err)
          assertNames(err, option.long ?? '', at('given.yaml'))
        })
  })
