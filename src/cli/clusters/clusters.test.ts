import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { suite, test } from 'node:test'
import { folderOf as temporary } from '../run-command.double.ts'
import { ClusterRecords } from './cluster-record.ts'
import { folderOf, isCluster, keptClusters } from './clusters-home.ts'
import { clustersText } from './list.ts'
import { isSameProcess, processStart } from './process-start.ts'
import { statusOf } from './status.ts'

const RECORD = { name: 'one', address: 'https://127.0.0.1:7000', nodes: 2, kubeconfig: '/tmp/k', since: '2026-01-02T03:04:05Z' }

function keep(home: string, name: string): void {
  mkdirSync(path.join(home, name, 'store'), { recursive: true })
}

suite('the clusters of this machine', () => {
  test('none', (t) => {
    const home = temporary(t)('home')
    assert.match(clustersText(home), /^No clusters/)
    assert.deepEqual(statusOf('one', home), { text: 'there is no cluster one', running: undefined })
  })

  test('a running cluster is found by its name, with its own description', (t) => {
    const home = temporary(t)('home')
    new ClusterRecords(home).add(RECORD)
    const found = new ClusterRecords(home).find('one')
    assert.deepEqual({ ...found, processStart: '' }, { ...RECORD, pid: process.pid, processStart: '' })
    const { text, running } = statusOf('one', home)
    assert.equal(running?.pid, process.pid)
    assert.match(text, /^one is running since 2026-01-02T03:04:05Z\n {2}address {5}https:\/\/127\.0\.0\.1:7000\n/)
  })

  test('those that run come before those that are kept', (t) => {
    const home = temporary(t)('home')
    keep(home, 'kept')
    keep(home, 'one')
    new ClusterRecords(home).add({ ...RECORD, dataDir: path.join(home, 'one') })
    const [head, ...rows] = clustersText(home).split('\n')
    assert.match(head ?? '', /^NAME +STATE +NODES +ADDRESS +STORAGE$/)
    assert.deepEqual(
      rows.map((row) => row.split(/ +/).slice(0, 2)),
      [
        ['one', 'running'],
        ['kept', 'stopped'],
      ],
    )
  })

  for (const [what, record] of [
    ['of a process that has ended', { ...RECORD, pid: 2 ** 30, processStart: '1' }],
    ['of a process whose number another one has', { ...RECORD, pid: process.pid, processStart: '1' }],
    ['that is no record', { name: 'one' }],
  ] as const)
    test(`a file ${what} is removed`, (t) => {
      const home = temporary(t)('home')
      mkdirSync(path.join(home, '.running'), { recursive: true })
      writeFileSync(path.join(home, '.running', '1.json'), JSON.stringify(record))
      assert.deepEqual(new ClusterRecords(home).list(), [])
      assert.match(clustersText(home), /^No clusters/)
    })

  test('a folder that holds no cluster is none', (t) => {
    const home = temporary(t)('home')
    keep(home, 'one')
    mkdirSync(path.join(home, 'notes'))
    assert.deepEqual(keptClusters(home), ['one'])
    assert.equal(isCluster(path.join(home, 'notes')), false)
  })

  for (const name of ['', '.', '..', '../x', 'A', 'a/b', '-a', 'a'.repeat(60)])
    test(`${JSON.stringify(name)} is not a name`, () => assert.throws(() => folderOf(name, '/home'), /--name: .* is not a name/))

  test('a process is known by its number and its start', () => {
    const start = processStart(process.pid) ?? ''
    assert.equal(isSameProcess(process.pid, start), true)
    assert.equal(isSameProcess(process.ppid, start), false)
    assert.equal(processStart(2 ** 30), undefined)
  })
})
