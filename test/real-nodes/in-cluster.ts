/** The tests of `in-cluster.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLUSTER_ROLE_BINDINGS, ENDPOINTS } from '../../src/resources/refs.ts'
import type { Volume, VolumeMount } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { findRuntime } from './found-runtime.ts'
import { runOnNode } from './in-pod.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { createPod, DEFAULT, hasEnded, logOf, reached } from './real-pods.ts'

const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(process.argv[2] ?? '', found)

/** The programs of this machine, for a container: curl is one of them. */
const PROGRAMS = ['/usr', '/lib', '/lib64', '/etc/ssl']
const volumes = PROGRAMS.map((path, i): Volume => ({ name: `p${i}`, hostPath: { path } }))
const volumeMounts = PROGRAMS.map((mountPath, i): VolumeMount => ({ name: `p${i}`, mountPath, readOnly: true }))

/** What in-cluster configurations of clients do: address, authority and token from where the node puts them. */
const CALL = `
  at=/var/run/secrets/kubernetes.io/serviceaccount
  call() { curl -sm 20 --cacert $at/ca.crt -H "Authorization: Bearer $(cat $at/token)" "https://$1$2"; }
  call $KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT "/api/v1/namespaces/$(cat $at/namespace)/pods/$HOSTNAME" | grep -o '"nodeName": *"[^"]*"'
  call kubernetes.default.svc /version | grep -o '"major": *"[^"]*"'
  call $KUBERNETES_SERVICE_HOST /api/v1/secrets | grep -o '"reason": *"[^"]*"'`

for (const [where, hostNetwork] of [
  ['its own network', false],
  ["the node's network", true],
] as const)
  test(`a program in ${where} reaches the API server, by address and name, as its service account`, async () => {
    await using cluster = await startCluster({
      runtime: machine.endpoint,
      kubeletConfig: kubeletConfig(machine),
    })
    const client = cluster.client()
    await client.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'pods-view' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    })
    const container = {
      name: 'main',
      image,
      command: ['sh', '-c', hostNetwork ? CALL.replaceAll('$HOSTNAME', 'caller') : CALL],
      volumeMounts,
    }
    await createPod(client, 'caller', {
      restartPolicy: 'OnFailure',
      hostNetwork,
      ...(hostNetwork && { dnsPolicy: 'ClusterFirstWithHostNet' }),
      containers: [container],
      volumes,
    })
    await reached(client, 'caller', hasEnded)
    const lines = (await logOf(client, 'caller')).replaceAll(': "', ':"').trim().split('\n')
    assert.deepEqual(lines, ['"nodeName":"node-1"', '"major":"1"', '"reason":"Forbidden"'])
    const { subsets } = await client.get({ ...ENDPOINTS, ...DEFAULT, name: 'kubernetes' })
    const [{ addresses: [{ ip } = { ip: '' }] = [] } = {}] = subsets ?? []
    assert.match((await runOnNode('ip address show dev lo')).out, new RegExp(`${ip}/32`), 'no other machine has a way to it')
    await cluster[Symbol.asyncDispose]()
    assert.doesNotMatch((await runOnNode('ip address show dev lo')).out, new RegExp(`${ip}/32`), 'the address goes with the cluster')
  })

test.after(() => machine[Symbol.asyncDispose]())
