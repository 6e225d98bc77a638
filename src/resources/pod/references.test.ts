import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiReference } from './api-references.ts'
import { clash, type HostPort, hostPortsOf, type PodPorts } from './host-ports.ts'

type Spec = Parameters<typeof apiReference>[0]
const container = (more: NonNullable<Spec['containers']>[number]) => ({ containers: [{}, more] })
const projected = (source: object) => ({ volumes: [{ name: 'v', projected: { sources: [source] } }] })

/** A spec, and the first thing of the API that it names. */
const REFERENCES: readonly (readonly [spec: Spec, found: string | undefined])[] = [
  [{}, undefined],
  [{ serviceAccountName: 'a', imagePullSecrets: [{}] }, 'serviceaccounts'],
  [{ serviceAccountName: '' }, undefined],
  [{ imagePullSecrets: [{}] }, 'secrets'],
  [{ imagePullSecrets: [] }, undefined],
  [container({ envFrom: [{ secretRef: {} }] }), 'secrets'],
  [container({ env: [{}, { valueFrom: { secretKeyRef: {} } }] }), 'secrets'],
  [{ initContainers: [{ env: [{ valueFrom: { secretKeyRef: {} } }] }] }, 'secrets'],
  [container({ envFrom: [{ configMapRef: {} }] }), 'configmaps'],
  [container({ env: [{ valueFrom: { configMapKeyRef: {} } }] }), 'configmaps'],
  [container({ env: [{ valueFrom: {} }] }), undefined],
  [{ ...container({ envFrom: [{ configMapRef: {} }] }), imagePullSecrets: [{}] }, 'secrets'],
  [{ volumes: [{ name: 'v', secret: {} }] }, 'secrets'],
  [{ volumes: [{ name: 'v', azureFile: {} }] }, 'secrets'],
  [{ volumes: [{ name: 'v', configMap: {} }] }, 'configmaps'],
  [projected({ secret: {} }), 'secrets'],
  [projected({ configMap: {} }), 'configmaps'],
  [projected({ serviceAccountToken: {} }), 'serviceaccounts (via projected volumes)'],
  [projected({ clusterTrustBundle: {} }), 'clustertrustbundles'],
  [projected({ podCertificate: {} }), 'podcertificates'],
  [projected({ downwardAPI: {} }), undefined],
  ...['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'].flatMap(
    (kind) =>
      [
        [{ volumes: [{ name: 'v', [kind]: { secretRef: {} } }] }, 'secrets'],
        [{ volumes: [{ name: 'v', [kind]: {} }] }, undefined],
      ] as const,
  ),
  [{ volumes: [{ name: 'v', csi: { nodePublishSecretRef: {} } }] }, 'secrets'],
  [{ volumes: [{ name: 'v', csi: {} }] }, 'csidrivers (via CSI volumes)'],
  [{ volumes: [{ name: 'v', glusterfs: {} }] }, 'endpoints (via glusterFS volumes)'],
  [{ volumes: [{ name: 'v', persistentVolumeClaim: {} }] }, 'persistentvolumeclaims'],
  [{ volumes: [{ name: 'v', ephemeral: {} }] }, 'persistentvolumeclaims (via ephemeral volumes)'],
  [{ volumes: [{ name: 'v' }, { name: 'w', emptyDir: {} }, { name: 'x', hostPath: {} }] }, undefined],
  [{ volumes: [{ name: 'v', other: {} }] }, 'volumes of the unknown kind other'],
  [{ resourceClaims: [{}] }, 'resourceclaims'],
  [{ resourceClaims: [{}], volumes: [{ name: 'v', persistentVolumeClaim: {} }] }, 'resourceclaims'],
  [{ resourceClaims: [] }, undefined],
]
for (const [spec, found] of REFERENCES) test(`${JSON.stringify(spec)} names ${found}`, () => assert.equal(apiReference(spec), found))

const port = (hostPort: number, more: object = {}) => ({ ports: [{ hostPort, ...more }] })
const HOST_PORTS: readonly (readonly [pod: PodPorts, ports: string])[] = [
  [{ containers: [] }, ''],
  [{ containers: [{}, { ports: [{}] }] }, ''],
  [{ containers: [port(0), port(-1)] }, ''],
  [{ containers: [port(80), port(81, { protocol: 'UDP', hostIP: '10.0.0.1' })] }, '0.0.0.0 TCP 80, 10.0.0.1 UDP 81'],
  [{ containers: [port(80, { hostIP: '' })] }, '0.0.0.0 TCP 80'],
  [{ containers: [port(80)], initContainers: [port(81), { ...port(82), restartPolicy: 'Always' }] }, '0.0.0.0 TCP 82, 0.0.0.0 TCP 80'],
  [{ containers: [port(80)], initContainers: [{ ...port(81), restartPolicy: 'Never' }] }, '0.0.0.0 TCP 80'],
]
for (const [pod, ports] of HOST_PORTS)
  test(`ports of the host: ${JSON.stringify(pod)}`, () =>
    assert.equal(
      hostPortsOf(pod)
        .map((p) => `${p.ip} ${p.protocol} ${p.port}`)
        .join(', '),
      ports,
    ))

const at = (ip: string, protocol = 'TCP', number = 80): HostPort => ({ ip, protocol, port: number })
const CLASHES: readonly (readonly [a: HostPort, b: HostPort, both: boolean])[] = [
  [at('10.0.0.1'), at('10.0.0.1'), true],
  [at('10.0.0.1'), at('10.0.0.2'), false],
  [at('0.0.0.0'), at('10.0.0.2'), true],
  [at('10.0.0.1'), at('0.0.0.0'), true],
  [at('10.0.0.1'), at('10.0.0.1', 'UDP'), false],
  [at('10.0.0.1'), at('10.0.0.1', 'TCP', 81), false],
]
for (const [a, b, both] of CLASHES)
  test(`${JSON.stringify([a, b])} ${both ? 'clash' : 'can both be'}`, () => assert.equal(clash(a, b), both))
