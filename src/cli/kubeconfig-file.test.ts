import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { kubeconfigFile } from './kubeconfig-file.ts'
import { folderOf } from './run-command.double.ts'

test('a named file is taken before all others', (t) => {
  const at = folderOf(t, { a: '', b: '' })
  assert.equal(kubeconfigFile(at('a'), { KUBECONFIG: at('b') }), at('a'))
})

test('of KUBECONFIG the first file that exists is taken', (t) => {
  const at = folderOf(t, { b: '' })
  assert.equal(kubeconfigFile(undefined, { KUBECONFIG: ['', at('a'), at('b')].join(path.delimiter) }), at('b'))
})

test('by default ~/.kube/config comes before the cluster of bowsprit up', (t) => {
  const at = folderOf(t)
  const own = path.join(at('data'), 'bowsprit', 'default', 'kubeconfig')
  const usual = path.join(at('home'), '.kube', 'config')
  for (const file of [own, usual]) {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, '')
    assert.equal(kubeconfigFile(undefined, { XDG_DATA_HOME: at('data') }, at('home')), file)
  }
})

test('without a kubeconfig the message lists every file that was tried', (t) => {
  const at = folderOf(t)
  assert.throws(() => kubeconfigFile(undefined, { KUBECONFIG: `${at('a')}${path.delimiter}${at('b')}` }), {
    message: `there is no kubeconfig: looked for ${at('a')}, ${at('b')}`,
  })
})
