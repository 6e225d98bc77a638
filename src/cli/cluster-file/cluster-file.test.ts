import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { checkCommand } from '../check.ts'
import { folderOf, runCommand } from '../run-command.double.ts'
import { upCommand } from '../up.ts'
import { applyClusterFile } from './apply-cluster-file.ts'
import { clusterSchema } from './cluster-schema.ts'
import { clusterFields } from './fields.ts'
import { isClusterFile, readClusterFile } from './read-cluster-file.ts'

const HEAD = 'apiVersion: bowsprit.dev/v1\nkind: Cluster\n'
const read = (text: string, name = '/work/cluster.yaml') => readClusterFile({ name, text }, clusterFields(upCommand()))

test('fields are the flags of up, with their types', (t) => {
  const at = folderOf(t, { 'devices.yaml': 'devices: []' })
  const spec = `spec:
  nodes: 3
  parts: [server, nodes]
  threads: false
  storageClass: false
  page: false
  objectLimits: {pods: 7, '*': 9}
  devices: devices.yaml
  machine: host
  program: ['a=./b', 'c=./d']
  nodeShapes: [{name: big, cpu: 64}]
`
  const { values, faults } = read(`${HEAD}${spec}`, at('cluster.yaml'))
  assert.deepEqual(faults, [])
  assert.deepEqual(Object.fromEntries(values), {
    nodes: 3,
    parts: 'server,nodes',
    threads: false,
    storageClass: false,
    page: false,
    objectLimits: 'pods=7,*=9',
    devices: at('devices.yaml'),
    machine: 'host',
    program: ['a=./b', 'c=./d'],
    nodeShapes: [{ name: 'big', cpu: 64 }],
  })
})

const FAULTS: readonly [text: string, faults: readonly string[]][] = [
  ['- a', ['1: it is not a map: begin with apiVersion and kind']],
  ['apiVersion: v1\nkind: Cluster\n', ['1: apiVersion: "v1" is not bowsprit.dev/v1']],
  [`${HEAD}nodes: 3\n`, ['3: nodes: there is no such field']],
  [`${HEAD}spec: 3\n`, ['3: spec: is not a map of options']],
  [
    `${HEAD}spec:\n  nodes: many\n  port: 70000\n`,
    ['4: spec.nodes: "many" is not a whole number from 0 to 10000', '5: spec.port: "70000" is not a whole number from 0 to 65535'],
  ],
  [`${HEAD}spec:\n  nodes: [1]\n`, ['4: spec.nodes: "[1]" is not a number']],
  [`${HEAD}spec:\n  ephemeral: "yes"\n`, ['4: spec.ephemeral: "yes" is neither true nor false']],
  [`${HEAD}spec:\n  devices: none.yaml\n`, ['4: spec.devices: "/work/none.yaml" does not exist: name a file']],
  [`${HEAD}spec:\n  nodeShapes: [{cpu: many}]\n`, ['4: spec.nodeShapes: nodeShapes[0].cpu: give an amount such as 64 or 256Gi']],
  [`${HEAD}spec:\n  file: x\n`, ['4: spec.file: there is no such field: `bowsprit up --help` has the flags, here in camelCase']],
]
for (const [text, expected] of FAULTS)
  test(`faults have their lines: ${JSON.stringify(text.replace(HEAD, ''))}`, () =>
    assert.deepEqual(
      read(text).faults.map(({ line, message }) => `${line}: ${message}`),
      expected,
    ))

test('flags of the command line come before the file', (t) => {
  const at = folderOf(t, { 'c.yaml': `${HEAD}spec: {nodes: 3, port: 0}\n` })
  const command = upCommand().action(() => {})
  command.parse(['--nodes', '5'], { from: 'user' })
  applyClusterFile(command, at('c.yaml'))
  assert.deepEqual([command.opts().nodes, command.opts().port], [5, 0])
})

test('the first fault ends the start; the others are counted', (t) => {
  const at = folderOf(t, { 'c.yaml': `${HEAD}spec: {nodes: x, port: y}\n` })
  assert.throws(
    () => applyClusterFile(upCommand(), at('c.yaml')),
    /^UsageError: --file: .*c\.yaml:3: spec\.nodes: .* \(and 1 more: bowsprit check .*c\.yaml\)$/,
  )
})

test('bowsprit check knows cluster files', async (t) => {
  const at = folderOf(t, { 'good.yaml': `${HEAD}spec: {nodes: 3}\n`, 'bad.yaml': `${HEAD}spec: {noodles: 3}\n` })
  const { code, out } = await runCommand(checkCommand(), at('good.yaml'), at('bad.yaml'))
  assert.equal(code, 1)
  assert.match(out, /bad\.yaml:3: error: spec\.noodles: there is no such field.*\n2 checked, 1 error, 0 warnings\n$/)
})

test('other files are no cluster files', () => {
  assert.deepEqual(['kind: Cluster', '{', 'apiVersion: v1\nkind: Pod', HEAD].map(isClusterFile), [false, false, false, true])
})

test('the published schema is that of the options: npm run docs writes it', () => {
  const file = path.join(import.meta.dirname, '../../../docs/cluster.schema.json')
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), clusterSchema(upCommand()))
})
