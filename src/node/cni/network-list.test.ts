import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { findNetworkList, parseNetworkList } from './network-list.ts'

const plugins = [{ type: 'bridge' }]
const LISTS: readonly (readonly [string, object, string])[] = [
  ['a list', { name: 'net', cniVersion: '1.0.0', plugins }, '1.0.0'],
  ['one plugin alone', { name: 'net', cniVersion: '0.4.0', type: 'bridge' }, '0.4.0'],
  ['versions to choose from', { name: 'net', cniVersion: '0.4.0', cniVersions: ['0.4.0', '1.1.0', '9.0.0'], plugins }, '1.1.0'],
]
for (const [what, content, version] of LISTS)
  test(`a network is read: ${what}`, () => {
    const list = parseNetworkList(JSON.stringify(content))
    assert.deepEqual([list.name, list.cniVersion, list.plugins[0]?.type], ['net', version, 'bridge'])
  })

const FAULTS: readonly (readonly [unknown, RegExp])[] = [
  [[], /not an object/],
  [{ cniVersion: '1.0.0', plugins }, /invalid network name ""/],
  [{ name: '../net', cniVersion: '1.0.0', plugins }, /invalid network name "..\/net"/],
  [{ name: 'net', cniVersion: '1.0.0', plugins: [] }, /each plugin needs a type/],
  [{ name: 'net', cniVersion: '1.0.0', plugins: [{ type: '../../bin/sh' }] }, /each plugin needs a type/],
  [{ name: 'net', cniVersion: '7.0.0', plugins }, /unsupported CNI version "7.0.0"/],
  [{ name: 'net', plugins }, /unsupported CNI version/],
]
for (const [content, fault] of FAULTS)
  test(`a network is refused: ${JSON.stringify(content)}`, () => assert.throws(() => parseNetworkList(JSON.stringify(content)), fault))

test('the first valid file of a folder is the network; without one each fault is told', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cni-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
  await assert.rejects(findNetworkList(path.join(folder, 'none')), /no valid networks found/)
  write('00-readme.txt', 'no network')
  write('10-half.conflist', '{"name":')
  await assert.rejects(findNetworkList(folder), /no valid networks found in .*; 10-half.conflist: /)
  write('30-late.conf', JSON.stringify({ name: 'late', cniVersion: '1.0.0', type: 'bridge' }))
  write('20-net.conflist', JSON.stringify({ name: 'net', cniVersion: '1.0.0', plugins }))
  assert.equal((await findNetworkList(folder)).name, 'net')
})
