import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { suite, test } from 'node:test'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import { folderOf } from '../run-command.double.ts'
import { mergeKubeconfig, removeFromKubeconfig, usersKubeconfig } from './merge-kubeconfig.ts'

const configOf = (name: string, server: string) => `apiVersion: v1
kind: Config
clusters: [{ name: ${name}, cluster: { server: ${server} } }]
users: [{ name: ${name}, user: { token: t } }]
contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name} } }]
current-context: ${name}
`
interface Read {
  readonly clusters: readonly { name: string; cluster: { server: string } }[]
  readonly contexts: readonly unknown[]
  readonly 'current-context': string
  readonly preferences?: unknown
}
const read = (file: string) => decodeYaml(readFileSync(file, 'utf8')).value as unknown as Read
const servers = (file: string) => read(file).clusters.map((c) => `${c.name} ${c.cluster.server}`)

suite('the kubeconfig of the user', () => {
  test('is made where there is none, for its owner alone', (t) => {
    const file = folderOf(t)('.kube/config')
    mergeKubeconfig(file, configOf('bowsprit-a', 'https://a'))
    assert.deepEqual(servers(file), ['bowsprit-a https://a'])
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  test('keeps what it has, gets the new entries, and they become current', (t) => {
    const at = folderOf(t, { config: `${configOf('work', 'https://work')}preferences: { colors: true }\n` })
    mergeKubeconfig(at('config'), configOf('bowsprit-a', 'https://a'))
    assert.deepEqual(servers(at('config')), ['work https://work', 'bowsprit-a https://a'])
    assert.equal(read(at('config'))['current-context'], 'bowsprit-a')
    assert.deepEqual(read(at('config')).preferences, { colors: true })
  })

  test('entries of the same name are replaced', (t) => {
    const at = folderOf(t, { config: configOf('bowsprit-a', 'https://old') })
    mergeKubeconfig(at('config'), configOf('bowsprit-a', 'https://new'))
    assert.deepEqual(servers(at('config')), ['bowsprit-a https://new'])
    assert.equal(read(at('config')).contexts.length, 1)
  })

  test('a deleted cluster leaves nothing behind, and nothing else is touched', (t) => {
    const at = folderOf(t, { config: configOf('work', 'https://work') })
    const before = readFileSync(at('config'), 'utf8')
    removeFromKubeconfig(at('config'), 'bowsprit-a')
    assert.equal(readFileSync(at('config'), 'utf8'), before)
    mergeKubeconfig(at('config'), configOf('bowsprit-a', 'https://a'))
    removeFromKubeconfig(at('config'), 'bowsprit-a')
    assert.deepEqual(servers(at('config')), ['work https://work'])
    assert.equal(read(at('config'))['current-context'], '')
  })

  for (const [others, current] of [
    [['bowsprit'], 'bowsprit'],
    [['work', 'bowsprit-b'], 'bowsprit-b'],
    [['bowsprit', 'bowsprit-b'], ''],
  ] as const)
    test(`after a deleted cluster, of ${others.join(' and ')} the current one is ${JSON.stringify(current)}`, (t) => {
      const at = folderOf(t)
      for (const name of [...others, 'bowsprit-a']) mergeKubeconfig(at('config'), configOf(name, `https://${name}`))
      removeFromKubeconfig(at('config'), 'bowsprit-a')
      assert.equal(read(at('config'))['current-context'], current)
    })

  test('a file that is no kubeconfig is left as it is', (t) => {
    const at = folderOf(t, { config: '- a list\n' })
    assert.throws(() => mergeKubeconfig(at('config'), configOf('a', 'https://a')), /is not a kubeconfig/)
    assert.equal(readFileSync(at('config'), 'utf8'), '- a list\n')
  })

  test('a link stays a link', (t) => {
    const at = folderOf(t, { real: configOf('work', 'https://work') })
    mkdirSync(at('kube'))
    symlinkSync(at('real'), at('kube/config'))
    mergeKubeconfig(at('kube/config'), configOf('bowsprit-a', 'https://a'))
    assert.equal(servers(at('real')).length, 2)
  })

  for (const [env, expected] of [
    [{}, '/home/ann/.kube/config'],
    [{ KUBECONFIG: '' }, '/home/ann/.kube/config'],
    [{ KUBECONFIG: ':/a:/b' }, '/a'],
  ] as const)
    test(`with ${JSON.stringify(env)} it is ${expected}`, () => assert.equal(usersKubeconfig(env, '/home/ann'), expected))
})
