import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { makeAuthority } from '../../apiserver/http/connection/listener.double.ts'
import type { AnyFlag } from '../../machinery/flags/flag.ts'
import type { PortRange } from '../../machinery/flags/kinds.ts'
import { parseFlags } from '../../machinery/flags/parse-flags.ts'
import { durationText } from '../../machinery/go/go-duration.ts'
import { type IpAddress, ipText } from '../../machinery/ip-address.ts'
import { newKeyPair } from '../../machinery/x509/certificate.ts'
import { readServerOptions, SERVER_FLAGS } from './server-options.ts'

const recorded = readFileSync(path.join(import.meta.dirname, '../../../test/recordings/kube-apiserver-flags.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '))
const table: Readonly<Record<string, AnyFlag>> = SERVER_FLAGS
const OWN = ['data-dir', 'object-limits', 'quota-backend-bytes', 'refuse-double-booking']

test('the flags are those of kube-apiserver', () => {
  assert.deepEqual(
    Object.keys(table)
      .filter((name) => !OWN.includes(name) && table[name]?.deprecated === undefined)
      .sort(),
    recorded.map(([name]) => name).sort(),
  )
})

/** A default as in Go's help text. */
function shown({ type, initial }: AnyFlag): string {
  if (type === 'duration') return initial === 0 ? '' : durationText(BigInt(Number(initial)) * 1_000_000n)
  if (type === 'ip') return initial === undefined ? '' : ipText(initial as IpAddress)
  if (type === 'portRange') {
    const { first, last } = initial as PortRange
    return `${first}-${last}`
  }
  if (Array.isArray(initial)) return initial.length === 0 ? '' : `[${initial.join(',')}]`
  if (typeof initial === 'string') return initial === '' ? '' : `"${initial}"`
  return initial === 0 || initial === false || initial instanceof Map ? '' : String(initial)
}

for (const [name = '', , ...words] of recorded)
  test(`defaults are those of kube-apiserver: ${name}`, () => {
    const flag = table[name]
    assert.ok(flag)
    assert.equal(shown(flag), words.join(' ').replace(/^\[\]$/, ''), name)
  })

for (const [name, { effect }] of Object.entries(table))
  test(`an unsupported flag is refused, or has a reason to be ignored: ${name}`, () => {
    if (effect.kind === 'refused') assert.ok(effect.reason.length > 0, name)
  })

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-options-'))
after(() => rmSync(folder, { recursive: true }))
const key = path.join(folder, 'sa.key')
writeFileSync(key, newKeyPair().privateKey.export({ type: 'pkcs8', format: 'pem' }))
const LEAST = [
  '--service-account-issuer=https://x',
  `--service-account-key-file=${key}`,
  `--service-account-signing-key-file=${key}`,
  '--service-cluster-ip-range=10.0.0.0/24',
  '--authorization-mode=RBAC',
  '--etcd-servers=http://127.0.0.1:2379',
  `--cert-dir=${folder}`,
]
const [own, other] = [makeAuthority('own'), makeAuthority('other')]
const put = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text)
  return path.join(folder, name)
}
const ours = { cert: put('own.pem', own.certificate), key: put('own.key', own.key) }
const files = {
  both: put('both.pem', `${other.certificate}\n${own.certificate}`),
  otherCert: put('other.pem', other.certificate),
  otherKey: put('other.key', other.key),
  bad: put('bad.pem', 'garbage'),
}
const OVERLAP =
  '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users'
const read = (...flags: string[]) => readServerOptions(parseFlags(SERVER_FLAGS, [...LEAST, ...flags]))

test('the least that a server needs', () => {
  const options = read()
  assert.deepEqual(
    [options.serving.port, options.requests.inFlight, options.network.serviceCidr, options.storage.dataDir, options.audit.log],
    [6443, { reading: 400, writing: 200 }, '10.0.0.0/24', undefined, undefined],
  )
})

/** The messages of kube-apiserver 1.36.3 for the same flags. */
const FAULTS: readonly (readonly [string, string])[] = [
  ['--secure-port=0', '--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0'],
  ['--tls-min-version=V', 'unknown tls version "V"'],
  ['--tls-cipher-suites=X', "Cipher suite X not supported or doesn't exist"],
  ['--tls-cert-file=none --tls-private-key-file=none', 'open none: no such file or directory'],
  ['--tls-cert-file=none', 'missing filename for serving cert'],
  ['--service-account-max-token-expiration=1s', 'the service-account-max-token-expiration must be between 1 hour and 2^32 seconds'],
  ['--service-account-key-file=none', 'open none: no such file or directory'],
  ['--service-account-signing-key-file=none', 'failed to parse service-account-issuer-key-file: open none: no such file or directory'],
  [
    '--storage-backend=x --goaway-chance=3',
    "[--goaway-chance can not be less than 0 or greater than 0.02, --storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3']",
  ],
  ['--runtime-config=foo/v1=true,bar=true', 'runtime-config invalid key bar'],
  ['--runtime-config=apps/v1,foo', 'runtime-config invalid key foo'],
  ['--runtime-config=nope.example/v1,apps/v1,other.example/v1=false', 'unknown api groups nope.example/v1,other.example/v1'],
  ['--runtime-config=api/all', 'invalid value api/all='],
  ['--feature-gates=foo,bar', 'missing bool value for foo'],
  ['--feature-gates==true', 'unrecognized feature gate: '],
  ['--watch-cache-sizes=pods#5,x', 'invalid value of watch cache size: x'],
  ['--watch-cache-sizes=pods#x', 'invalid size of watch cache size: pods#x'],
  ['--watch-cache-sizes=pods#-1', 'watch cache size cannot be negative: pods#-1'],
  [
    '--storage-media-type=x',
    '--storage-media-type "x" invalid, allowed values: application/json, application/vnd.kubernetes.protobuf, application/yaml',
  ],
  ['--runtime-config=api/all=perhaps', 'invalid value api/all=perhaps'],
  ['--feature-gates=Nope=true', 'unrecognized feature gate: Nope'],
  ['--feature-gates=AllAlpha=perhaps', 'invalid value of AllAlpha=perhaps, err: strconv.ParseBool: parsing "perhaps": invalid syntax'],
  ['--feature-gates=Foo:Bar=true', 'component not registered: Foo'],
  ['--peer-ca-file=/nowhere.crt', 'error building peer proxy handler, proxy-cert-file not specified'],
  [
    '--peer-ca-file=/nowhere.crt --feature-gates=UnknownVersionInteroperabilityProxy=false',
    '--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on',
  ],
  ['--peer-advertise-ip=127.0.0.1 --peer-advertise-port=x', '--peer-advertise-port=x is no port: give one from 1 to 65535'],
  ['--runtime-config=api/beta=true,api/ga=false', '--runtime-config=api/ga=false conflicts with --enable-priority-and-fairness=true'],
  ['--runtime-config=apiregistration.k8s.io/v1=false', 'API group/version apiregistration.k8s.io/v1 must be enabled'],
  ['--runtime-config=apps/v9', 'group version apps/v9 that has not been registered'],
  ['--runtime-config=apps/v1=maybe', 'invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
  ['--etcd-cafile=/nowhere.crt', 'error creating storage factory: open /nowhere.crt: no such file or directory'],
  ['--endpoint-reconciler-type=magic', 'Reconciler not implemented: magic'],
  ['--apiserver-count=0', "--apiserver-count should be a positive number, but value '0' provided"],
  ['--kubelet-certificate-authority=/nowhere.crt', 'problem initializing API group "": open /nowhere.crt: no such file or directory'],
  [
    '--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24',
    '--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family',
  ],
  [
    '--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24,10.2.0.0/24',
    '[--service-cluster-ip-range must not contain more than two entries, --service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family]',
  ],
  [
    '--kubernetes-service-node-port=99999',
    "[--kubernetes-service-node-port 99999 must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP, kubernetes service node port range 30000-32767 doesn't contain 99999]",
  ],
  [
    '--show-hidden-metrics-for-version=1.2',
    'metrics.showHiddenMetricsForVersion: Invalid value: "1.2": must be omitted or have the value \'1.35\'; only the previous minor version is allowed',
  ],
  ['--service-cluster-ip-range=x', 'service-cluster-ip-range[0] is not a valid cidr'],
  [
    '--service-cluster-ip-range=10.0.0.0/31',
    'error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses',
  ],
  [
    '--etcd-servers-overrides=x',
    '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated',
  ],
  [
    '--kubernetes-service-node-port=-1',
    '--kubernetes-service-node-port -1 must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP',
  ],
  [
    '--max-requests-inflight=0 --max-mutating-requests-inflight=0',
    'invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive',
  ],
  [
    '--strict-transport-security-directives=x',
    '--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
  ],
  ['--logging-format=x', 'format: Invalid value: "x": Unsupported log format'],
  ['--requestheader-client-ca-file=none', 'open none: no such file or directory'],
  [
    `--requestheader-client-ca-file=${files.bad}`,
    `error loading CA bundle for "request-header::${files.bad}": data does not contain any valid RSA or ECDSA certificates`,
  ],
  [`--requestheader-client-ca-file=${ours.cert} --requestheader-username-headers=X-U,`, 'empty value in "requestheader-username-headers"'],
  [
    `--requestheader-uid-headers=,`,
    '[empty value in "requestheader-uid-headers", --requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work]',
  ],
  [`--requestheader-client-ca-file=${ours.cert} --client-ca-file=${files.both}`, OVERLAP],
  [`--requestheader-client-ca-file=none --client-ca-file=none2`, 'open none2: no such file or directory'],
  [`--proxy-client-cert-file=none --proxy-client-key-file=${ours.key}`, 'open none: no such file or directory'],
  [`--proxy-client-cert-file=${ours.cert} --proxy-client-key-file=none`, 'open none: no such file or directory'],
  [`--proxy-client-cert-file=${ours.cert} --proxy-client-key-file=${files.otherKey}`, 'tls: private key does not match public key'],
  [`--proxy-client-cert-file=${files.bad} --proxy-client-key-file=${ours.key}`, 'tls: failed to find any PEM data in certificate input'],
  ['--audit-log-path=- --audit-log-format=foo', 'invalid audit log format foo, allowed formats are "legacy,json"'],
]
for (const [flags, says] of FAULTS)
  test(`${flags}: ${says.slice(0, 60)}`, () =>
    assert.throws(
      () => read(...flags.split(' ')),
      (error) => error instanceof Error && error.message === says,
    ))

test('without anything, all that is missing is named at once', () => {
  assert.throws(() => readServerOptions(parseFlags(SERVER_FLAGS, [])), {
    message:
      '[service-account-issuer is a required flag, either `--service-account-key-file` or `--service-account-signing-endpoint` must be set, --service-account-signing-key-file and --service-account-issuer are required flags]',
  })
})

test('what would be acted against is refused, what changes nothing is taken', () => {
  assert.throws(() => read('--egress-selector-config-file=x'), {
    message: /^--egress-selector-config-file cannot be followed by Bowsprit: /,
  })
  assert.throws(() => read('--disable-http2-serving'), { message: /^--disable-http2-serving cannot be followed by Bowsprit: / })
  assert.equal(read('--profiling=false', '--etcd-prefix=/x').storage.dataDir, undefined)
  assert.equal(read('--goaway-chance=0.01').requests.goawayChance, 0.01)
})

test('front proxy settings that kube-apiserver accepts are accepted', () => {
  for (const half of [`--proxy-client-cert-file=${ours.cert}`, `--proxy-client-key-file=${ours.key}`])
    assert.equal(read(half).aggregation.proxyClient, undefined)
  const front = `--requestheader-client-ca-file=${ours.cert}`
  assert.deepEqual(read(front, '--requestheader-uid-headers=x-remote-uid').aggregation.frontProxy?.uidHeaders, ['x-remote-uid'])
  read(front, `--client-ca-file=${files.otherCert}`)
  read(front, `--client-ca-file=${files.both}`, '--requestheader-allowed-names=proxy')
})

for (const [gates, config, served, mounted, unusual] of [
  ['', '', [], false, []],
  ['ClusterTrustBundle=true', '', [], false, []],
  ['', 'certificates.k8s.io/v1beta1/clustertrustbundles', [], false, []],
  ['ClusterTrustBundle=true', 'certificates.k8s.io/v1beta1/clustertrustbundles', ['ClusterTrustBundle'], false, []],
  ['ClusterTrustBundle=true,ClusterTrustBundleProjection=true', 'certificates.k8s.io/v1beta1=true', ['ClusterTrustBundle'], true, []],
  ['ClusterTrustBundle=false', 'api/beta=true', [], false, []],
  ['GenericWorkload=true', 'api/beta=true', [], false, []],
  ['GenericWorkload=true,GangScheduling=true', 'api/alpha=true', ['GenericWorkload'], false, []],
  ['ClusterTrustBundle=true,WorkloadWithJob=true', 'api/all=true', ['ClusterTrustBundle'], false, ['WorkloadWithJob=true']],
] as const)
  test(`kinds that are off by default need a feature gate and a version: "${gates}", "${config}"`, () => {
    const { features } = read(`--feature-gates=${gates}`, `--runtime-config=${config}`)
    assert.deepEqual(
      [features.gatedKinds.map(({ gate }) => gate), features.gates.has('ClusterTrustBundleProjection'), features.unusualGates],
      [served, mounted, unusual],
    )
  })

test('events are kept for the configured time, in whole seconds, or for ever', () => {
  for (const [requested, kept] of [
    ['90m', 5_400_000],
    ['1.5s', 1000],
    ['0', undefined],
  ] as const)
    assert.equal(read(`--event-ttl=${requested}`).storage.eventTtlMs, kept)
  assert.equal(read().storage.eventTtlMs, 3_600_000)
})

test('services may have two ranges, of any size from eight addresses on', () => {
  for (const ranges of ['10.0.0.0/8', 'fd00::/64', '10.0.0.0/29,fd00::/128', 'fd00::/108,10.0.0.0/16'])
    assert.equal(read(`--service-cluster-ip-range=${ranges}`, '--endpoint-reconciler-type=none').network.serviceCidr, ranges)
})

test('the range of node ports has three notations', () => {
  for (const [requested, first, last] of [
    ['100-200', 100, 200],
    ['100+20', 100, 120],
    ['100', 100, 100],
    ['', 30_000, 32_767],
  ] as const)
    assert.deepEqual(read(`--service-node-port-range=${requested}`).network.nodePorts, { first, last })
  for (const [requested, says] of [
    ['foo', 'strconv.Atoi: parsing "foo": invalid syntax'],
    ['30000-70000', 'the port range cannot be greater than 65535: 30000-70000'],
    ['100-50', 'end port cannot be less than start port: 100-50'],
  ] as const)
    assert.throws(() => read(`--service-node-port-range=${requested}`), {
      message: new RegExp(`invalid argument "${requested}" for "--service-node-port-range" flag: ${says}$`),
    })
})
