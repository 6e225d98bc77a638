import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { folderOf } from '../run-command.double.ts'
import { kubectlScript, programScript } from './scripts.ts'
import { AssetsError, writeAssets } from './write-assets.ts'

test('etcd, kube-apiserver and kubectl are laid down, executable, again and again', (t) => {
  const folder = folderOf(t)('assets')
  for (let i = 0; i < 2; i++) {
    assert.equal(writeAssets({ folder, kubectl: undefined }), folder)
    for (const name of ['etcd', 'kube-apiserver', 'kubectl']) accessSync(path.join(folder, name), constants.X_OK)
  }
  assert.match(readFileSync(path.join(folder, 'etcd'), 'utf8'), /^#!\/bin\/sh\n/)
})

test('a named kubectl is linked to', (t) => {
  const at = folderOf(t, { kubectl: '' })
  writeAssets({ folder: at('assets'), kubectl: at('kubectl') })
  assert.equal(readlinkSync(path.join(at('assets'), 'kubectl')), at('kubectl'))
})

for (const [code, kubectl, folder, message] of [
  ['no-kubectl', '/nonexistent/kubectl', 'assets', '--kubectl: there is no file /nonexistent/kubectl'],
  ['not-writable', undefined, 'file/assets', /^the folder .*file\/assets cannot be written \(\w+\): choose another$/],
] as const)
  test(`${code}: ${message}`, (t) => {
    const at = folderOf(t, { file: '' })
    assert.throws(() => writeAssets({ folder: at(folder), kubectl }), { name: 'AssetsError', code, message })
    assert.ok(AssetsError.prototype instanceof Error)
  })

test('a program prints its help without starting Node', (t) => {
  const at = folderOf(t)
  writeFileSync(
    at('etcd'),
    programScript({ node: '/nonexistent/node', nodeFlags: [], program: '/x.js', cache: undefined, help: "it's $HOME" }),
  )
  assert.equal(execFileSync('sh', [at('etcd'), '--data-dir=x', '--help'], { encoding: 'utf8' }), "it's $HOME\n")
})

test('a program starts the code next to it, through links, with all arguments unchanged', (t) => {
  const at = folderOf(t)
  mkdirSync(at('lib'))
  writeFileSync(at('lib/p.sh'), 'printf "[%s]" "$0" "$@"\n')
  writeFileSync(at('program'), programScript({ node: '/bin/sh', nodeFlags: ['-u'], program: 'lib/p.sh', cache: undefined, help: '' }))
  chmodSync(at('program'), 0o755)
  execFileSync('ln', ['-s', 'program', at('link')])
  const out = execFileSync(at('link'), ['a b', "c'd", '$x'], { encoding: 'utf8' })
  assert.equal(out, `[${at('lib/p.sh')}][a b][c'd][$x]`)
})

test('kubectl runs the next one on the PATH, never itself', (t) => {
  const at = folderOf(t)
  for (const folder of ['own', 'other', 'tools']) mkdirSync(at(folder))
  // The machine may have a kubectl: of its programs the script gets only this one.
  const dirname = execFileSync('sh', ['-c', 'command -v dirname'], { encoding: 'utf8' }).trim()
  symlinkSync(dirname, at('tools/dirname'))
  writeFileSync(at('own/kubectl'), kubectlScript())
  writeFileSync(at('other/kubectl'), '#!/bin/sh\necho real "$@"\n')
  for (const file of ['own/kubectl', 'other/kubectl']) chmodSync(at(file), 0o755)
  const run = (...folders: string[]) =>
    execFileSync(at('own/kubectl'), ['get', 'pods'], {
      encoding: 'utf8',
      stdio: 'pipe',
      env: { PATH: [...folders, at('tools')].join(':') },
    })
  assert.equal(run(at('own'), at('other')), 'real get pods\n')
  assert.throws(() => run(at('own')), /kubectl: there is none on the PATH/)
})
