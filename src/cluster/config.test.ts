import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { ClusterOptions } from './cluster-options.ts'
import { ConfigError, completeConfig, defaultDataDir } from './config.ts'

const NO_ENVIRONMENT = {}

const DEFAULTS: readonly [name: string, options: ClusterOptions, expected: Partial<ReturnType<typeof completeConfig>>][] = [
  ['nothing given', { ephemeral: true }, { nodes: 1, port: 6443, host: '127.0.0.1', serviceCidr: '10.0.0.0/24', leaderElection: false }],
  ['in memory', { ephemeral: true, dataDir: '/somewhere' }, { dataDir: undefined, kubeconfig: undefined }],
  ['a folder', { dataDir: '/data' }, { dataDir: '/data', kubeconfig: '/data/kubeconfig' }],
  ['a kubeconfig', { dataDir: '/data', kubeconfig: '/k' }, { kubeconfig: '/k' }],
  ['the server alone', { ephemeral: true, parts: ['server'] }, { thirdPartyResources: false, storageClass: false }],
  ['controllers and nodes', { ephemeral: true }, { thirdPartyResources: true, storageClass: true }],
  ['controllers without nodes', { ephemeral: true, nodes: 0 }, { storageClass: false }],
  ['nodes without controllers', { ephemeral: true, parts: ['server', 'nodes'] }, { storageClass: false }],
  ['a storage class that is not wanted', { ephemeral: true, storageClass: false }, { storageClass: false }],
  ['an audit log', { ephemeral: true, auditLog: '-' }, { audit: { policy: { rules: [{ level: 'Metadata' }] }, file: '-' } }],
  ['a policy as an object', { ephemeral: true, schedulerPolicy: { kind: 'Policy' } }, { schedulerPolicy: '{"kind":"Policy"}' }],
  ['both families', { ephemeral: true, serviceCidr: '10.0.0.0/8,fd00::/64' }, { clusterCidr: '10.192.0.0/10,fd00:10:192::/48' }],
  ['IPv6 and no nodes', { ephemeral: true, parts: ['server'], serviceCidr: 'fd00::/108' }, { clusterCidr: undefined }],
  ['the host as machine', { ephemeral: true, machine: 'host' }, { machine: 'host' }],
]
for (const [name, options, expected] of DEFAULTS)
  test(`defaults with ${name}`, () => {
    const config = completeConfig(options, NO_ENVIRONMENT)
    const chosen = Object.fromEntries(Object.keys(expected).map((key) => [key, config[key as keyof typeof config]]))
    assert.deepEqual(chosen, expected)
  })

test('an etcd is one store of several members', () => {
  const { etcd } = completeConfig(
    { store: 'etcd=https://a:2379,https://b:2379', etcdCafile: 'ca.crt', etcdPrefix: 'team/' },
    NO_ENVIRONMENT,
  )
  assert.deepEqual([etcd?.servers, etcd?.caFile, etcd?.prefix], [['https://a:2379', 'https://b:2379'], 'ca.crt', '/team'])
})

const AUDIT_POLICY = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' }
const REFUSED: readonly [options: Record<string, unknown>, message: string | RegExp][] = [
  [{ parts: ['server', 'proxy'] }, '--parts: there is no part "proxy"; there are server, controllers, scheduler, nodes'],
  [{ parts: ['nodes'] }, '--parts: a cluster needs the part "server"'],
  [{ nodes: -1 }, '--nodes: give a whole number from 0 to 10000'],
  [{ unknownPrograms: 'stop' as 'run' }, '--unknown-programs: "stop" is none of succeed, run, fail'],
  [{ nodes: 1.5 }, '--nodes: give a whole number from 0 to 10000'],
  [{ nodes: 10_001 }, '--nodes: give a whole number from 0 to 10000'],
  [{ port: -1 }, '--port: give a number from 0 (any free port) to 65535'],
  [{ port: 65_536 }, '--port: give a number from 0 (any free port) to 65535'],
  [{ serviceCidr: '10.0.0.0' }, /^--service-cidr: "10\.0\.0\.0" is neither a range such as 10\.0\.0\.0\/24 nor two, such as /],
  [{ serviceCidr: '10.0.0.256/24' }, /^--service-cidr: "10\.0\.0\.256\/24" is neither /],
  [{ serviceCidr: '10.0.0.0/24,fd00::/108,fd01::/108' }, /^--service-cidr: .* is neither /],
  [{ serviceCidr: '10.0.0.0/30' }, '--service-cidr: the range 10.0.0.0/30 has fewer than 8 addresses'],
  [{ serviceCidr: '10.0.0.0/24,10.1.0.0/24' }, /^--service-cidr: the ranges .* are of the same family; /],
  [{ serviceCidr: 'fd00::/108' }, /^--service-cidr: the first range is fd00::\/108; in a cluster with nodes it is one of IPv4$/],
  [{ schedulerConfig: {}, schedulerPolicy: {} }, '--scheduler-policy cannot be used together with --scheduler-config'],
  [{ objectLimits: { pods: 0 } }, '--object-limits: pods=0: the limit must be a positive integer'],
  [{ objectLimits: { '*': Number.NaN } }, '--object-limits: *=NaN: the limit must be a positive integer'],
  [{ quotaBackendBytes: 0 }, '--quota-backend-bytes: give a positive number of bytes'],
  [{ auditPolicy: {} }, '--audit-policy: name the file for the events too, with --audit-log'],
  [
    { auditPolicy: { ...AUDIT_POLICY, rules: [{ level: 'Metadata', verb: ['get'] }] }, auditLog: '-' },
    /^--audit-policy: there is no field "[^"]*verb"/,
  ],
  [{ images: { web: 'web.ts' } }, 'images: "web": it needs a function, an object with a function "run", or one with a "command"'],
  [{ devices: { devices: [{ count: 2 }] } }, /^--devices: /],
  [{ schedulerConfig: '/nonexistent/s.yaml' }, /^--scheduler-config: \/nonexistent\/s\.yaml cannot be read: ENOENT/],
  [{ kubeletConfig: '/nonexistent/k.yaml' }, /^--kubelet-config: \/nonexistent\/k\.yaml cannot be read: ENOENT/],
  [{ store: 'sqlite' }, '--store: "sqlite" is not etcd=URL,URL…'],
  [{ store: 'etcd=http://a:2379', ephemeral: true }, '--ephemeral cannot be used together with --store'],
  [{ etcdCafile: 'ca.crt' }, '--etcd-cafile, --etcd-certfile and --etcd-keyfile need --store etcd=URL'],
  [{ machine: '/nonexistent/m.yaml' }, /^--machine: \/nonexistent\/m\.yaml cannot be read: ENOENT/],
]
for (const [options, message] of REFUSED)
  test(`refuses ${JSON.stringify(options)}`, () => {
    assert.throws(
      () => completeConfig({ ephemeral: true, ...options } as ClusterOptions, NO_ENVIRONMENT),
      (error) => {
        assert.ok(error instanceof ConfigError)
        assert.equal(error.code, 'bad-option')
        if (typeof message === 'string') assert.equal(error.message, message)
        else assert.match(error.message, message)
        return true
      },
    )
  })

test('a file that holds something else is named with what it should hold', (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'list.yaml')
  writeFileSync(file, '- a\n- b\n')
  assert.throws(() => completeConfig({ ephemeral: true, schedulerConfig: file }), {
    message: `--scheduler-config: ${file} holds no KubeSchedulerConfiguration`,
  })
})

for (const [env, folder] of [
  [{ XDG_DATA_HOME: '/xdg' }, '/xdg/bowsprit/default'],
  [{ XDG_DATA_HOME: '' }, path.join(os.homedir(), '.local/share/bowsprit/default')],
] as const)
  test(`the cluster of ${JSON.stringify(env)} is kept in ${folder}`, () => assert.equal(defaultDataDir(env), folder))
