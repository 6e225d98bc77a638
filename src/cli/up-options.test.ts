import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterOptions } from '../cluster/cluster-options.ts'
import { ConfigError } from '../cluster/config.ts'
import { ClusterRecords } from './clusters/cluster-record.ts'
import { clustersHome } from './clusters/clusters-home.ts'
import { UsageError } from './report-failure.ts'
import { folderOf, runCommand } from './run-command.double.ts'
import { upCommand } from './up.ts'
import { type UpFlags, type UpProcess, upOptions } from './up-options.ts'

const USER: UpProcess = { isRoot: false, waitingPluginFolder: async () => '/var/lib/kubelet/device-plugins' }
const ROOT: UpProcess = { ...USER, isRoot: true }
const ROOT_BESIDE_A_KUBELET: UpProcess = { isRoot: true, waitingPluginFolder: async () => undefined }

const OPTIONS: readonly [name: string, flags: UpFlags, process: UpProcess, expected: ClusterOptions][] = [
  ['no flags', {}, USER, {}],
  ['parts with blanks', { parts: 'server, nodes' }, USER, { parts: ['server', 'nodes'] }],
  ['what is the command’s alone', { verbose: true, untilStdinEnds: true, saveOnExit: 'f' }, USER, {}],
  ['what is the cluster’s', { nodes: 3, ephemeral: true, port: 0 }, USER, { nodes: 3, ephemeral: true, port: 0 }],
  ['a storage class, which is the default', { storageClass: true }, USER, {}],
  ['no storage class', { storageClass: false }, USER, { storageClass: false }],
  ['one thread', { threads: false }, USER, { threads: false }],
  ['a program for an image', { program: ['a:dev=./bin/a --now'] }, USER, { images: { 'a:dev': { command: ['./bin/a', '--now'] } } }],
  ['what unknown programs do', { unknownPrograms: 'fail' }, USER, { unknownPrograms: 'fail' }],
  ['limits', { objectLimits: 'pods=7, *=9' }, USER, { objectLimits: { pods: 7, '*': 9 } }],
  ['a folder for plugins', { devicePluginDir: '/plugins' }, USER, { devicePluginDir: '/plugins' }],
  ["root's folder for plugins", { devicePluginDir: true }, ROOT, { devicePluginDir: '/var/lib/kubelet/device-plugins' }],
  ['root, where the folder waits', {}, ROOT, { devicePluginDir: '/var/lib/kubelet/device-plugins' }],
  ['root, where a kubelet runs', {}, ROOT_BESIDE_A_KUBELET, {}],
  ['root, several nodes', { nodes: 2 }, ROOT, { nodes: 2 }],
  ['root, described devices', { devices: 'd.yaml' }, ROOT, { devices: 'd.yaml' }],
  ['root, no nodes', { parts: 'server' }, ROOT, { parts: ['server'] }],
]
/** The options where no cluster runs: who runs these tests may have one. */
async function optionsOf(flags: UpFlags, of: UpProcess): Promise<ClusterOptions> {
  const { XDG_DATA_HOME: home } = process.env
  process.env.XDG_DATA_HOME = '/nowhere'
  try {
    return await upOptions(flags, of)
  } finally {
    if (home === undefined) delete process.env.XDG_DATA_HOME
    else process.env.XDG_DATA_HOME = home
  }
}

for (const [name, flags, of, expected] of OPTIONS)
  test(`options of the cluster: ${name}`, async () =>
    assert.deepEqual(await optionsOf(flags, of), { threads: true, serviceAddresses: true, trails: true, ...expected }))

for (const [name, flags, of] of [
  ['for a user', { devicePluginDir: true }, USER],
  ['for two nodes', { devicePluginDir: true, nodes: 2 }, ROOT],
] as const)
  test(`the kubelet's folder cannot be used ${name}`, () =>
    assert.rejects(optionsOf(flags, of), (error) => error instanceof ConfigError && /name a folder/.test(error.message)))

for (const [words, message] of [
  [['--nodes', 'many'], '--nodes: "many" is not a whole number from 0 to 10000'],
  [['--threads=no'], '--threads: "no" is neither true nor false'],
  [['--nodes', '-1'], '--nodes: "-1" is not a whole number from 0 to 10000'],
  [['--port', '1.5'], '--port: "1.5" is not a whole number from 0 to 65535'],
  [['--port'], "option '--port <port>' argument missing (see bowsprit up --help)"],
  [['--fast'], "unknown option '--fast' (see bowsprit up --help)"],
] as const)
  test(`up ${words.join(' ')} is refused`, async () =>
    assert.deepEqual(await runCommand(upCommand(), ...words), { code: 2, out: '', err: `bowsprit up: ${message}\n` }))

for (const [flags, message] of [
  [{ ephemeral: true, dataDir: '/d' }, '--ephemeral cannot be used together with --data-dir'],
  [{ name: 'a', dataDir: '/d' }, '--name cannot be used together with --data-dir'],
  [{ schedulerConfig: 'f', schedulerPolicy: 'f' }, '--scheduler-config cannot be used together with --scheduler-policy'],
  [{ clusterDns: false }, '--cluster-dns needs --runtime'],
  [{ auditPolicy: 'f' }, '--audit-policy needs --audit-log'],
  [{ page: false, pagePort: 1 }, '--no-page cannot be used together with --page-port'],
  [{ page: false, pageReadOnly: true }, '--no-page cannot be used together with --page-read-only'],
] as const)
  test(`refused: ${message}`, () => assert.rejects(upOptions(flags, USER), new UsageError(message)))

test('the name of a running cluster is refused: `bowsprit delete` could not distinguish the two', async (t) => {
  const before = process.env.XDG_DATA_HOME
  process.env.XDG_DATA_HOME = folderOf(t)('data')
  t.after(() => {
    if (before === undefined) delete process.env.XDG_DATA_HOME
    else process.env.XDG_DATA_HOME = before
  })
  assert.match((await upOptions({ name: 'shop' }, USER)).dataDir ?? '', /bowsprit\/shop$/)
  new ClusterRecords(clustersHome()).add({ name: 'shop', address: '', nodes: 0, kubeconfig: '', since: '' })
  await assert.rejects(
    upOptions({ name: 'shop' }, USER),
    /--name: shop is running already, as process \d+ at : export KUBECONFIG= \(bowsprit stop shop\)/,
  )
})
