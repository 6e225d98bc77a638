import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { parseFlags } from '../../machinery/flags/parse-flags.ts'
import { throwFaults } from '../options-error.ts'
import { ADMISSION_FLAGS, type AdmissionOptions, admissionFaults, readAdmission } from './admission.ts'

const plugin = (name: string, configuration?: unknown) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [{ name, ...(configuration === undefined ? {} : { configuration }) }],
})

/** Parses flags; `conf` is the file of `--admission-control-config-file`. Files are in a temporary folder. */
function read(line: string, conf?: unknown, files: Readonly<Record<string, string>> = {}): AdmissionOptions {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'admission-options-'))
  try {
    const file = path.join(folder, 'conf')
    if (conf !== undefined) writeFileSync(file, typeof conf === 'string' ? conf : JSON.stringify(conf))
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
    const words = [...line.split(' ').filter(Boolean), ...(conf === undefined ? [] : [`--admission-control-config-file=${file}`])]
    const flags = parseFlags(ADMISSION_FLAGS, words)
    throwFaults(admissionFaults(flags))
    return readAdmission(flags)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const limits = (...list: object[]) => ({ apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration', limits: list })
const security = (more: object) => ({ apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration', ...more })
const quota = (...limitedResources: object[]) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'ResourceQuotaConfiguration',
  limitedResources,
})
const images = (more: object) => ({ imagePolicy: { kubeConfigFile: '/k', ...more } })

/** As recorded from kube-apiserver 1.36.3. */
const refused: readonly (readonly [line: string, conf: unknown, says: string])[] = [
  ['--enable-admission-plugins=Foo', undefined, 'enable-admission-plugins plugin "Foo" is unknown'],
  [
    '--disable-admission-plugins=Foo,Bar',
    undefined,
    '[disable-admission-plugins plugin "Foo" is unknown, disable-admission-plugins plugin "Bar" is unknown]',
  ],
  [
    '--enable-admission-plugins=AlwaysPullImages,PodSecurity --disable-admission-plugins=PodSecurity,AlwaysPullImages',
    undefined,
    '[AlwaysPullImages PodSecurity] in enable-admission-plugins and disable-admission-plugins overlapped',
  ],
  [
    '--admission-control=NamespaceLifecycle --enable-admission-plugins=AlwaysAdmit',
    undefined,
    'admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive',
  ],
  ['--admission-control=Foo', undefined, 'admission-control plugin "Foo" is unknown'],
  ['', '', "failed to apply admission: failed to read plugin config: Object 'Kind' is missing in ''"],
  [
    '',
    { ...plugin('PodSecurity'), x: 1 },
    'failed to apply admission: failed to read plugin config: strict decoding error: unknown field "x"',
  ],
  [
    '',
    { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration' },
    'failed to apply admission: failed to read plugin config: unexpected type: *apiserver.AuthorizationConfiguration',
  ],
  [
    '--enable-admission-plugins=EventRateLimit',
    undefined,
    'failed to apply admission: couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty',
  ],
  [
    '--enable-admission-plugins=EventRateLimit',
    plugin('EventRateLimit', limits({ type: 'X', qps: 1, burst: 1 })),
    'failed to apply admission: couldn\'t init admission plugin "EventRateLimit": limits[0].type: Unsupported value: "X": supported values: "Server", "Namespace", "User", "SourceAndObject"',
  ],
  [
    '--enable-admission-plugins=EventRateLimit',
    plugin('EventRateLimit', limits({ type: 'User', qps: -1, burst: 1, cacheSize: -1 })),
    'failed to apply admission: couldn\'t init admission plugin "EventRateLimit": [limits[0].qps: Invalid value: -1: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]',
  ],
  [
    '--enable-admission-plugins=ImagePolicyWebhook',
    undefined,
    'failed to apply admission: couldn\'t init admission plugin "ImagePolicyWebhook": no config specified',
  ],
  [
    '--enable-admission-plugins=ImagePolicyWebhook',
    plugin('ImagePolicyWebhook', images({ allowTTL: 99999 })),
    'failed to apply admission: couldn\'t init admission plugin "ImagePolicyWebhook": valid value is between 1s and 30m0s, got 27h46m39s',
  ],
  [
    '--enable-admission-plugins=ImagePolicyWebhook',
    plugin('ImagePolicyWebhook', images({ allowTTL: '1m' })),
    'failed to apply admission: couldn\'t init admission plugin "ImagePolicyWebhook": json: cannot unmarshal string into Go struct field imagePolicyWebhookConfig.imagePolicy.allowTTL of type time.Duration',
  ],
  [
    '',
    plugin('PodSecurity', security({ defaults: { warn: 'z', enforce: 'x', 'audit-version': 'y' } })),
    'failed to apply admission: failed to initialize admission plugin "PodSecurity": PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, audit-version: must be "latest" or "v1.x", warn: must be one of privileged, baseline, restricted]',
  ],
  [
    '',
    plugin('PodSecurity', security({ exemptions: { usernames: ['', 'u', 'u'] } })),
    'failed to apply admission: failed to initialize admission plugin "PodSecurity": PodSecurity invalid: [exemptions.usernames[0]: Invalid value: "": username must not be empty, exemptions.usernames[2]: Duplicate value: "u"]',
  ],
  [
    '',
    plugin('ResourceQuota', quota({ apiGroup: 'x' })),
    'failed to apply admission: couldn\'t init admission plugin "ResourceQuota": limitedResources[0].resource: Required value',
  ],
  [
    '',
    plugin('ValidatingAdmissionWebhook', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'WebhookAdmissionConfiguration',
      kubeConfigFile: 'x',
    }),
    'failed to apply admission: couldn\'t init admission plugin "ValidatingAdmissionWebhook": kubeConfigFile: Invalid value: "x": must be an absolute file path',
  ],
  [
    '--enable-admission-plugins=PodTolerationRestriction',
    plugin('PodTolerationRestriction', { apiVersion: 'x/v1', kind: 'Configuration' }),
    'failed to apply admission: couldn\'t init admission plugin "PodTolerationRestriction": no kind "Configuration" is registered for version "x/v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
]

for (const [line, conf, says] of refused)
  test(`a start that is refused: ${says.slice(-90)}`, () => assert.throws(() => read(line, conf), { message: says }))

test('plugins run in their fixed order; an enabled one runs', () => {
  const { plugins } = read('--enable-admission-plugins=AlwaysPullImages,AlwaysAdmit --disable-admission-plugins=LimitRanger')
  assert.deepEqual(plugins.slice(0, 4), ['AlwaysAdmit', 'NamespaceLifecycle', 'ServiceAccount', 'TaintNodesByCondition'])
  assert.ok(plugins.includes('AlwaysPullImages') && !plugins.includes('LimitRanger') && !plugins.includes('NodeRestriction'))
  assert.deepEqual(read('--admission-control=ResourceQuota,NamespaceLifecycle').plugins, ['NamespaceLifecycle', 'ResourceQuota'])
})

test('the configuration of a disabled plugin is not validated', () => {
  assert.deepEqual(read('', plugin('EventRateLimit', { a: 1 })).settings.eventLimits, [])
})

test('plugin configurations are complete', () => {
  const { eventLimits } = read(
    '--enable-admission-plugins=EventRateLimit',
    plugin('EventRateLimit', limits({ type: 'User', qps: 5, burst: 10 })),
  ).settings
  assert.deepEqual(eventLimits, [{ type: 'User', qps: 5, burst: 10, cacheSize: 4096 }])
  const { podSecurity } = read(
    '',
    plugin('PodSecurity', security({ defaults: { enforce: 'baseline', 'enforce-version': 'v1.30' } })),
  ).settings
  assert.deepEqual(podSecurity.defaults.enforce, { level: 'baseline', version: 30 })
  const { imagePolicy } = read(
    '--enable-admission-plugins=ImagePolicyWebhook',
    plugin('ImagePolicyWebhook', images({ allowTTL: 0, denyTTL: -1, retryBackoff: 20, defaultAllow: true })),
  ).settings
  assert.deepEqual(imagePolicy, { kubeConfigFile: '/k', allowTtlMs: 300_000, denyTtlMs: 0, retryBackoffMs: 20, defaultAllow: true })
})

test('a plugin may have a file of its own next to the common one; old files are one section', () => {
  const own = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [{ name: 'PodNodeSelector', path: 'sel' }],
  }
  const section = 'podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: env=dev\n'
  for (const [conf, files] of [
    [own, { sel: section }],
    [section, {}],
  ] as const)
    assert.deepEqual(read('--enable-admission-plugins=PodNodeSelector', conf, files).settings.nodeSelectors, {
      clusterDefaultNodeSelector: 'env=dev',
    })
})
