import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailText, readPolicy, violations } from './policy.ts'

const safe = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
}
const pod = (container: object, spec: object = {}) => ({ containers: [{ name: 'm', ...container }], ...spec })
const strict = (container: object = {}, spec: object = {}) => pod({ securityContext: { ...safe, ...container } }, spec)

/** Spec, level with version, and the violations; `''` if there are none. */
const cases: readonly (readonly [string, object, string, string])[] = [
  ['a plain pod is baseline', pod({}), 'baseline', ''],
  ['a careful pod is restricted', strict(), 'restricted', ''],
  [
    'capabilities',
    pod({ securityContext: { capabilities: { add: ['SYS_TIME', 'CHOWN', 'NET_ADMIN'] } } }),
    'baseline',
    'non-default capabilities (container "m" must not include "NET_ADMIN", "SYS_TIME" in securityContext.capabilities.add)',
  ],
  ['one capability may be added when restricted', strict({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }), 'restricted', ''],
  ['host namespaces', pod({}, { hostNetwork: true, hostIPC: true }), 'baseline', 'host namespaces (hostNetwork=true, hostIPC=true)'],
  [
    'host paths',
    pod(
      {},
      {
        volumes: [
          { name: 'a', hostPath: { path: '/' } },
          { name: 'b', hostPath: { path: '/' } },
        ],
      },
    ),
    'baseline',
    'hostPath volumes (volumes "a", "b")',
  ],
  ['host ports', pod({ ports: [{ hostPort: 80 }, { hostPort: 81 }, {}] }), 'baseline', 'hostPort (container "m" uses hostPorts 80, 81)'],
  [
    'hosts of probes',
    pod({ readinessProbe: { tcpSocket: { host: 'x' } } }),
    'baseline',
    'probe or lifecycle host (container "m" uses probe or lifecycle host "x")',
  ],
  ['hosts of probes did not matter then', pod({ readinessProbe: { tcpSocket: { host: 'x' } } }), 'baseline v1.33', ''],
  [
    'privileged',
    pod({ securityContext: { privileged: true } }),
    'baseline',
    'privileged (container "m" must not set securityContext.privileged=true)',
  ],
  [
    'SELinux',
    pod({}, { securityContext: { seLinuxOptions: { type: 'own_t', role: 'r' } } }),
    'baseline',
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "own_t"; role may not be set)',
  ],
  [
    'a type of SELinux that became safe',
    pod({ securityContext: { seLinuxOptions: { type: 'container_engine_t' } } }),
    'baseline v1.30',
    'seLinuxOptions (container "m" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
  ],
  [
    'seccomp',
    pod({ securityContext: { seccompProfile: { type: 'Unconfined' } } }),
    'baseline',
    'seccompProfile (container "m" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'sysctls',
    pod({}, { securityContext: { sysctls: [{ name: 'kernel.msgmax' }, { name: 'net.ipv4.tcp_rmem' }] } }),
    'baseline',
    'forbidden sysctls (kernel.msgmax)',
  ],
  [
    'sysctls before they were safe',
    pod({}, { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] } }),
    'baseline v1.31',
    'forbidden sysctls (net.ipv4.tcp_rmem)',
  ],
  ['a proc mount in own user namespaces', pod({ securityContext: { procMount: 'Unmasked' } }, { hostUsers: false }), 'baseline', ''],
  ['root inside a user namespace', strict({ runAsNonRoot: undefined, runAsUser: 0 }, { hostUsers: false }), 'restricted', ''],
  ['root by number', strict({ runAsUser: 0 }), 'restricted', 'runAsUser=0 (container "m" must not set runAsUser=0)'],
  [
    'root on purpose',
    strict({ runAsNonRoot: false }),
    'restricted',
    'runAsNonRoot != true (container "m" must not set securityContext.runAsNonRoot=false)',
  ],
  [
    'the pod speaks for its containers',
    { ...pod({ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }), securityContext: safe },
    'restricted',
    '',
  ],
  [
    'volumes',
    strict(
      {},
      {
        volumes: [
          { name: 'v', nfs: {} },
          { name: 'e', emptyDir: {} },
        ],
      },
    ),
    'restricted',
    'restricted volume types (volume "v" uses restricted volume type "nfs")',
  ],
  ['windows needs less', { ...pod({ securityContext: { runAsNonRoot: true } }), os: { name: 'windows' } }, 'restricted', ''],
]

for (const [name, spec, label, expected] of cases) {
  test(name, () => {
    const [level = '', version = 'latest'] = label.split(' ')
    const { policy } = readPolicy({ 'pod-security.kubernetes.io/enforce': level, 'pod-security.kubernetes.io/enforce-version': version })
    assert.equal(detailText(violations(policy.enforce, {}, { containers: [], ...spec })), expected)
  })
}

test('profiles of seccomp were annotations before version 1.19', () => {
  const annotations = {
    'container.seccomp.security.alpha.kubernetes.io/m': 'unconfined',
    'seccomp.security.alpha.kubernetes.io/pod': 'docker/default',
  }
  const found = (version: number) =>
    detailText(violations({ level: 'baseline', version }, { annotations }, { containers: [{ name: 'm' }] }))
  assert.equal(found(18), 'seccompProfile (forbidden annotation container.seccomp.security.alpha.kubernetes.io/m="unconfined")')
  assert.equal(found(19), '')
})

test('invalid labels are reported, and count as the strictest level', () => {
  const { policy, faults } = readPolicy({ 'pod-security.kubernetes.io/enforce': 'nope', 'pod-security.kubernetes.io/warn-version': 'v9' })
  assert.equal(policy.enforce.level, 'restricted')
  assert.deepEqual(
    faults.map((f) => `${f.field}: ${f.message}`),
    [
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "nope": must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v9": must be "latest" or "v1.x"',
    ],
  )
})
