import assert from 'node:assert/strict'
import { test } from 'node:test'
import { podDns } from '../pod/spec/pod-dns.ts'
import type { Pod } from '../types/pod.ts'
import { hostPathFault } from './host-path.ts'
import { createSimulatedHost } from './simulated-host.ts'
import { forbiddenSysctl } from './sysctls.ts'

const pod = (spec: Partial<Pod['spec']>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'u' },
  spec: { containers: [], ...spec },
  status: {},
})

const paths: readonly (readonly [string, string, string, string | undefined])[] = [
  ['no type asks for nothing', '/nowhere', '', undefined],
  ['a folder that every Linux has', '/etc', 'Directory', undefined],
  ['what lies deep in one is what it has to be', '/var/run/docker.sock', 'Socket', undefined],
  ['what lies nowhere', '/nowhere', 'Directory', 'hostPath type check failed: /nowhere is not a directory'],
  ['a file is no folder', '/etc/passwd', 'Directory', 'hostPath type check failed: /etc/passwd is not a directory'],
  ['a folder is no file', '/etc', 'File', 'hostPath type check failed: /etc is not a file'],
  ['a device is a file too', '/dev/null', 'File', undefined],
  ['but not a socket', '/dev/null', 'Socket', 'hostPath type check failed: /dev/null is not a socket file'],
  ['nor of blocks', '/dev/null', 'BlockDevice', 'hostPath type check failed: /dev/null is not a block device'],
  [
    'a described disk is no character device',
    '/data/disk',
    'CharDevice',
    'hostPath type check failed: /data/disk is not a character device',
  ],
  ['a described disk', '/data/disk', 'BlockDevice', undefined],
  ['what is said not to be there', '/run/gone', 'Socket', 'hostPath type check failed: /run/gone is not a socket file'],
  ['a folder that may be made', '/made/here', 'DirectoryOrCreate', undefined],
  ['a file in a folder that is not there', '/none/file', 'FileOrCreate', 'open /none/file: no such file or directory'],
  [
    'a folder that may be made, where a file lies',
    '/etc/hosts',
    'DirectoryOrCreate',
    'hostPath type check failed: /etc/hosts is not a directory',
  ],
]

for (const [rule, path, type, wanted] of paths) {
  test(`host path: ${rule}`, () => {
    const host = createSimulatedHost({ described: () => ({ 'simulated.bowsprit.dev/host-files': '/data/disk=BlockDevice, /run/gone=' }) })
    assert.equal(hostPathFault(host, path, type), wanted)
  })
}

test('what was made is there for the next pod', () => {
  const host = createSimulatedHost()
  assert.equal(hostPathFault(host, '/made/dir', 'DirectoryOrCreate'), undefined)
  assert.equal(hostPathFault(host, '/made/dir/file', 'FileOrCreate'), undefined)
  assert.equal(hostPathFault(host, '/made/dir/', 'Directory'), undefined)
  assert.equal(hostPathFault(host, '/made/dir/file', 'Directory'), 'hostPath type check failed: /made/dir/file is not a directory')
})

const machine = {
  resolver: { servers: ['192.0.2.53'], searches: ['example.test'], options: ['edns0'] },
  clusterDns: ['10.0.0.10'],
  clusterDomain: 'cluster.local',
}
const own = { nameservers: ['1.2.3.4'], searches: ['my.search'], options: [{ name: 'ndots', value: '3' }, { name: 'edns0' }] }
const cluster = ['default.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.test']

const resolvers: readonly (readonly [string, Partial<Pod['spec']>, unknown])[] = [
  ['of the cluster', {}, { servers: ['10.0.0.10'], searches: cluster, options: ['ndots:5'] }],
  ['on the network of the host', { hostNetwork: true }, machine.resolver],
  [
    'of the cluster on the network of the host',
    { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' },
    { servers: ['10.0.0.10'], searches: cluster, options: ['ndots:5'] },
  ],
  [
    'of the machine, and more',
    { dnsPolicy: 'Default', dnsConfig: own },
    { servers: ['192.0.2.53', '1.2.3.4'], searches: ['example.test', 'my.search'], options: ['edns0', 'ndots:3'] },
  ],
  ['its own only', { dnsPolicy: 'None', dnsConfig: own }, { servers: ['1.2.3.4'], searches: ['my.search'], options: ['ndots:3', 'edns0'] }],
]

for (const [rule, spec, wanted] of resolvers) {
  test(`resolver: ${rule}`, () => assert.deepEqual(podDns(pod(spec), machine), { dns: wanted, faults: [] }))
}

test("what exceeds a resolver's limits is left out and reported", () => {
  const searches = Array.from({ length: 12 }, (_, i) => `${String(i).repeat(60)}.${'x'.repeat(60)}.${'y'.repeat(60)}.test`)
  const { dns, faults } = podDns(pod({ dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3'], searches } }), machine)
  assert.deepEqual(dns.servers, ['10.0.0.10', '1.1.1.1', '1.1.1.2'])
  assert.ok(dns.searches.join(' ').length <= 2048 && dns.searches.length > 10)
  assert.deepEqual(
    faults.map((f) => [f.reason, f.message.split(':')[0]]),
    [
      ['DNSConfigForming', 'Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is'],
      ['DNSConfigForming', 'Search Line limits were exceeded, some search paths have been omitted, the applied search line is'],
    ],
  )
})

test('a pod resolves names by its own namespace and machine, independently of earlier lookups', () => {
  const other = {
    ...machine,
    resolver: { servers: [], searches: ['other.test'], options: [] },
    clusterDns: ['10.0.0.99'],
    clusterDomain: '',
  }
  const within = (namespace: string): Pod => ({ ...pod({}), metadata: { ...pod({}).metadata, namespace } })
  for (let round = 0; round < 2; round++) {
    for (const [namespace, requested] of [
      ['a', machine],
      ['b', machine],
      ['a', other],
      ['b', other],
    ] as const) {
      const own =
        requested === machine ? [`${namespace}.svc.cluster.local`, 'svc.cluster.local', 'cluster.local', 'example.test'] : ['other.test']
      const { dns, faults } = podDns(within(namespace), requested)
      assert.deepEqual([dns.servers, dns.searches, faults], [requested.clusterDns, own, []])
    }
  }
})

test("without cluster DNS a pod gets a warning, and uses the machine's servers", () => {
  const { dns, faults } = podDns(pod({}), { ...machine, clusterDns: [] })
  assert.deepEqual(dns, machine.resolver)
  assert.equal(
    faults[0]?.message,
    'pod: "p_default(u)". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
  )
})

const sysctls: readonly (readonly [string, string, Partial<Pod['spec']>, string | undefined])[] = [
  ['a safe one', 'net.ipv4.tcp_syncookies', {}, undefined],
  ['a safe one, written as a path', 'net/ipv4/tcp_syncookies', {}, undefined],
  ['an unsafe one', 'kernel.msgmax', {}, 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
  ['an unsafe one that is allowed', 'net.core.somaxconn', {}, undefined],
  [
    'of the network of the host',
    'net.core.somaxconn',
    { hostNetwork: true },
    'forbidden sysctl: "net.core.somaxconn" not allowed with host Net enabled',
  ],
  [
    'of the memory of the host',
    'kernel.shm_rmid_forced',
    { hostIPC: true },
    'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled',
  ],
]

for (const [rule, name, spec, wanted] of sysctls) {
  test(`sysctl: ${rule}`, () => {
    const securityContext = { sysctls: [{ name, value: '1' }] }
    assert.equal(forbiddenSysctl(pod({ ...spec, securityContext }), ['net.core.*']), wanted)
  })
}
