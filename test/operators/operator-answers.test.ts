/** `searchOperator` with answers of pods: an operator that asks its pods by exec, HTTP and TCP, in this process and as a program. */
import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { suite, test } from 'node:test'
import { CONFIG_MAPS, STATEFUL_SETS } from '../../src/resources/refs.ts'
import type { ConfigMap } from '../../src/resources/types/core.ts'
import { readAnswers } from '../../src/testing/operator-search/answers/pod-answers.ts'
import { searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import { database, databases, ensure, members, ownedBy, standIn } from './operator-search/stand-in.ts'

const ANSWERS = [
  {
    image: 'pause',
    exec: [{ command: 'db role', stdout: 'leader' }],
    http: [{ port: 8080, path: '/version', headers: { 'content-type': 'application/json' }, body: '{"version":"7"}' }],
    tcp: [{ port: 2181, receive: 'ruok', send: 'imok', close: true }],
  },
]

const textOf = async (connection: Duplex) => {
  let text = ''
  for await (const part of connection) text += String(part)
  return text
}

suite('answers of pods', () => {
  test('an operator in this process gets them', async () => {
    const heard: string[] = []
    const operator = standIn([STATEFUL_SETS], async ({ database: of, client, life: { network } }) => {
      const { namespace = 'default', name = '' } = of.metadata
      await ensure(client, { ...STATEFUL_SETS, namespace, name }, members(of))
      const pod = { namespace, name: `${name}-0` }
      await using process = await client.exec(pod, ['db', 'role'])
      let role = ''
      for await (const part of process.stdout) role += Buffer.from(part).toString()
      const { status } = (await client.get({ group: '', version: 'v1', resource: 'pods', ...pod })) as { status?: { podIP?: string } }
      const version = (await (await network.fetch(`http://${status?.podIP}:8080/version`)).json()) as { version: string }
      const connection = await network.connect(status?.podIP ?? '', 2181)
      connection.write('ruok')
      const data = { role, version: version.version, health: await textOf(connection) }
      heard.push(Object.values(data).join(' '))
      const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences: ownedBy(of) }, data }
      await client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
    })
    const sample = database({ size: 1 })
    const { findings } = await searchOperator({
      operator,
      install: [databases({ size: { type: 'integer' } })],
      samples: [sample],
      steps: [{ name: 'create', apply: [sample] }],
      answers: ANSWERS,
    })
    assert.deepEqual(findings, [])
    assert.deepEqual([...new Set(heard)], ['leader 7 imok'])
  })

  for (const [content, message] of [
    [{}, 'no list `answers`'],
    [{ answers: [{ grpc: [] }] }, 'answers[0].grpc: image, exec, http and tcp are known'],
    [{ answers: [{ exec: [{ stdout: 'x' }] }] }, 'answers[0].exec[0].command is missing'],
    [{ answers: [{ http: [{ port: '80' }] }] }, 'answers[0].http[0].port is no number'],
    [
      { answers: [{ tcp: [{ port: 1, send: 'x', receive: '(' }] }] },
      'answers[0].tcp[0].receive: error parsing regexp: missing closing ): `(`',
    ],
  ] as const)
    test(`wrong answers are named: ${message}`, () => assert.throws(() => readAnswers(content), { message }))
})
