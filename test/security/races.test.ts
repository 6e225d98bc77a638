/** Quotas and the rights of nodes, asked by many at once and in odd words: nobody gets more than they may have. */
import assert from 'node:assert/strict'
import http2 from 'node:http2'
import { after, before, test } from 'node:test'
import type { JsonObject } from '../../src/machinery/object.ts'
import { CONFIG_MAPS, NAMESPACES, NODES, PODS, RESOURCE_QUOTAS, SECRETS } from '../../src/resources/refs.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { type AttackedCluster, openAttackedCluster } from './attacked-cluster.ts'

let attacked: AttackedCluster
let session: http2.ClientHttp2Session

before(async () => {
  attacked = await openAttackedCluster({ parts: ['server', 'controllers'] })
  session = http2.connect(attacked.address.origin, { ...attacked.access })
})
after(async () => {
  session.destroy()
  await attacked[Symbol.asyncDispose]()
})

interface Answer {
  readonly code: number
  readonly body: JsonObject
}

function ask(
  method: string,
  path: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json' }
    const stream = session.request({ ':method': method, ':path': path, ...type, ...headers })
    let [code, text] = [0, '']
    stream.on('response', (answer) => {
      code = Number(answer[':status'])
    })
    stream.on('data', (chunk) => {
      text += String(chunk)
    })
    stream.on('error', reject)
    stream.on('end', () => resolve({ code, body: JSON.parse(text) as JsonObject }))
    stream.end(body && JSON.stringify(body))
  })
}

const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

test('a hundred creates at once, in four ways, take no more than the quota has', async () => {
  const client = attacked.cluster.client()
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tight' } })
  const target = { ...RESOURCE_QUOTAS, namespace: 'tight' }
  for (const name of ['a', 'b'])
    await client.create(target, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name },
      spec: { hard: { 'count/configmaps': name === 'a' ? '10' : '12' } },
    })
  await waitFor(async () => (await client.list(target)).items.every((q) => q.status?.used?.['count/configmaps'] !== undefined))
  const before = (await client.list({ ...CONFIG_MAPS, namespace: 'tight' })).items.length
  const at = '/api/v1/namespaces/tight/configmaps'
  const codes = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      if (i % 4 === 0) return ask('POST', at, { body: map(`posted-${i}`) })
      if (i % 4 === 1) return ask('PATCH', `${at}/applied-${i}?fieldManager=x`, { body: map(`applied-${i}`) })
      if (i % 4 === 2) return ask('POST', at, { body: { ...map(''), metadata: { generateName: 'made-' } } })
      return ask('POST', `${at}?dryRun=All`, { body: map(`dry-${i}`) })
    }),
  )
  const made = codes.filter(({ code }, i) => code === 201 && i % 4 !== 3).length
  assert.equal(made, 10 - before)
  assert.equal((await client.list({ ...CONFIG_MAPS, namespace: 'tight' })).items.length, 10)
  assert.ok(codes.every(({ code }) => code === 201 || code === 403))
})

test('changes of forty services and pods at once take no more than the quotas have', async () => {
  const client = attacked.cluster.client()
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'changed' } })
  const at = '/api/v1/namespaces/changed'
  const container = (cpu: string) => ({ name: 'c', image: 'i', resources: { requests: { cpu } } })
  const forty = Array.from({ length: 40 }, (_, i) => i)
  await Promise.all(
    forty.flatMap((i) => [
      ask('POST', `${at}/services`, { body: { metadata: { name: `s${i}` }, spec: { ports: [{ port: 80 }] } } }),
      ask('POST', `${at}/pods`, { body: { metadata: { name: `p${i}` }, spec: { containers: [container('100m')] } } }),
    ]),
  )
  const target = { ...RESOURCE_QUOTAS, namespace: 'changed' }
  const hard = { 'services.nodeports': '5', 'requests.cpu': '4500m' }
  await client.create(target, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'a' }, spec: { hard } })
  await waitFor(async () => (await client.list(target)).items[0]?.status?.used?.['requests.cpu'] === '4')
  const headers = { 'content-type': 'application/strategic-merge-patch+json' }
  const changes = await Promise.all(
    forty.flatMap((i) => [
      ask('PATCH', `${at}/services/s${i}`, { body: { spec: { type: 'NodePort' } }, headers }),
      ask('PATCH', `${at}/pods/p${i}/resize`, { body: { spec: { containers: [container('300m')] } }, headers }),
    ]),
  )
  const done = (kind: 0 | 1) => changes.filter(({ code }, i) => code === 200 && i % 2 === kind).length
  assert.deepEqual([done(0), done(1)], [5, 2])
  assert.ok(changes.every(({ code }) => code === 200 || code === 403))
})

const asNode = (name: string) => ({ 'impersonate-user': `system:node:${name}`, 'impersonate-group': 'system:nodes' })

test('a node reads what its own pods need, however it words its question', async (t) => {
  const client = attacked.cluster.client()
  for (const name of ['near', 'far']) {
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } })
    await client.create({ ...SECRETS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Secret', metadata: { name: `of-${name}` } })
    await client.create(
      { ...PODS, namespace: 'default' },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `on-${name}` },
        spec: { nodeName: name, containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: `of-${name}` } }] }] },
      },
    )
  }
  const near = asNode('near')
  const seen = async (path: string) => {
    const { code, body } = await ask('GET', path, { headers: near })
    const items = (body.items ?? []) as { metadata: { name: string } }[]
    return code === 200
      ? body.items === undefined
        ? [String((body.metadata as JsonObject).name)]
        : items.map((i) => i.metadata.name)
      : code
  }
  const pods = (selector: string) => `/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`
  const secrets = (selector: string) => `/api/v1/namespaces/default/secrets?fieldSelector=${encodeURIComponent(selector)}`
  const rows: readonly (readonly [path: string, expected: readonly string[] | 403])[] = [
    [pods('spec.nodeName=near'), ['on-near']],
    [pods('spec.nodeName==near'), ['on-near']],
    [pods('spec.nodeName=far'), 403],
    [pods('spec.nodeName!=far'), 403],
    [pods('metadata.name!=x,spec.nodeName=near'), ['on-near']],
    [pods('status.phase!=x\\,spec.nodeName=near'), 403],
    [pods('status.phase!=x\\,spec.nodeName=near,spec.nodeName!=y'), 403],
    [pods('status.phase!=x\\\\\\,spec.nodeName=near'), 403],
    [pods('status.phase!=x\\,spec.nodeName\\=near'), 403],
    [pods('spec.nodeName=near=\\='), 403],
    [pods(' spec.nodeName =near'), 403],
    [pods('spec.nodeName=near\\,far'), 403],
    [pods('spec.nodeName=near,spec.nodeName=far'), []],
    ['/api/v1/pods?fieldSelector=spec.nodeName%3Dfar&fieldSelector=spec.nodeName%3Dnear', 403],
    ['/api/v1/pods', 403],
    ['/api/v1/namespaces/default/pods/on-near', ['on-near']],
    ['/api/v1/namespaces/default/pods/on-far', 403],
    ['/api/v1/namespaces/default/secrets/of-near', ['of-near']],
    ['/api/v1/namespaces/default/secrets/of-far', 403],
    [secrets('metadata.name=of-near'), ['of-near']],
    [secrets('metadata.name=of-far'), 403],
    [secrets('type!=x\\,metadata.name=of-near'), 403],
    [secrets('metadata.name!=of-near'), 403],
    [secrets('metadata.name=of-near,metadata.name=of-far'), 403],
    [secrets('metadata.name=of-far,metadata.name=of-near'), 403],
    ['/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Dof-near&fieldSelector=metadata.name%3Dof-far', ['of-near']],
    ['/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Dof-far&fieldSelector=metadata.name%3Dof-near', 403],
    ['/api/v1/secrets?fieldSelector=metadata.name%3Dof-near', 403],
    ['/api/v1/watch/namespaces/default/secrets/of-far?timeoutSeconds=1', 403],
  ]
  for (const [path, expected] of rows) await t.test(path, async () => assert.deepEqual(await seen(path), expected))

  await t.test('with its pod the right goes', async () => {
    const path = '/api/v1/namespaces/default/secrets/of-near'
    assert.equal((await ask('GET', path, { headers: near })).code, 200)
    await client.delete({ ...PODS, namespace: 'default', name: 'on-near' }, { gracePeriodSeconds: 0 })
    for (let i = 0; i < 20; i++) assert.equal((await ask('GET', path, { headers: near })).code, 403)
  })
})
