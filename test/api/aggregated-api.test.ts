/** Aggregated APIs: one written with `bowsprit/aggregated-api`, used by kubectl, and Kubernetes' sample server, if Go is installed. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { kubectlPath } from '../../scripts/clients.ts'
import { type AggregatedApi, createAggregatedApi } from '../../src/aggregated-api/public.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { freePort } from '../free-port.ts'
import { goPrograms } from '../go-program.ts'

const run = promisify(execFile)
const text = { type: 'string' }
const object = (properties: object) => ({ type: 'object', properties })

describe('an aggregated API of one’s own, through kubectl', () => {
  let cluster: Cluster
  let api: AggregatedApi
  let folder: string
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-aggregated-'))
    api = await createAggregatedApi({
      group: 'wardle.example.com',
      kinds: [
        {
          kind: 'Flunder',
          plural: 'flunders',
          shortNames: ['fl'],
          versions: [
            {
              name: 'v1beta1',
              schema: {
                ...object({
                  spec: object({ reference: { ...text, description: 'Who is meant.' }, size: { type: 'integer', default: 3 } }),
                }),
                description: 'A flunder.',
              },
              columns: [{ name: 'Reference', type: 'string', jsonPath: '.spec.reference' }],
              subresources: { status: {} },
              selectableFields: [{ jsonPath: '.spec.reference' }],
            },
            { name: 'v1alpha1', schema: object({ spec: object({ reference: text, size: { type: 'integer' } }) }) },
          ],
          validate: ({ spec }) =>
            (spec as { reference?: string }).reference === 'nobody'
              ? [{ field: 'spec.reference', message: 'there is no such fischer' }]
              : [],
        },
        {
          kind: 'Tide',
          plural: 'tides',
          scope: 'Cluster',
          computed: true,
          versions: [
            {
              name: 'v1beta1',
              schema: object({ level: { type: 'integer' } }),
              columns: [{ name: 'Level', type: 'integer', jsonPath: '.level' }],
            },
          ],
        },
      ],
    })
    cluster = await startCluster(
      { nodes: 0, kubeconfig: path.join(folder, 'kubeconfig') },
      { services: new Map([['default/wardle', api.connect]]) },
    )
    await cluster.listen()
    await api.register(cluster.client(), { namespace: 'default', name: 'wardle' })
    await waitFor(async () => (await kubectl('api-resources', '--api-group=wardle.example.com')).includes('flunders'))
  })
  after(async () => {
    await cluster[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  const kubectl = async (...args: string[]) => {
    const env = { ...process.env, KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder }
    const { stdout } = await run(kubectlPath(), args, { env })
    return stdout
  }
  const file = (name: string, content: string) => {
    writeFileSync(path.join(folder, name), content)
    return path.join(folder, name)
  }
  const flunder = (name: string, reference: string) =>
    file(
      `${name}.yaml`,
      `apiVersion: wardle.example.com/v1beta1\nkind: Flunder\nmetadata: { name: ${name} }\nspec: { reference: ${reference} }\n`,
    )

  test('objects are applied, shown in tables, selected, explained, edited and deleted', async () => {
    assert.equal(await kubectl('apply', '-f', flunder('one', 'fritz')), 'flunder.wardle.example.com/one created\n')
    assert.equal(
      await kubectl('apply', '--server-side', '-f', flunder('two', 'hans')),
      'flunder.wardle.example.com/two serverside-applied\n',
    )
    assert.equal(await kubectl('get', 'fl'), 'NAME   REFERENCE\none    fritz\ntwo    hans\n')
    assert.equal(await kubectl('get', 'fl', '--field-selector', 'spec.reference=hans', '-o', 'name'), 'flunder.wardle.example.com/two\n')
    assert.equal(await kubectl('get', 'fl', 'one', '-o', 'jsonpath={.spec.size}'), '3')
    assert.match(await kubectl('explain', 'flunders.spec.reference'), /Who is meant\./)
    assert.match(
      await kubectl('get', 'flunders.v1alpha1.wardle.example.com', 'one', '-o', 'yaml'),
      /apiVersion: wardle\.example\.com\/v1alpha1/,
    )
    await kubectl('patch', 'fl', 'one', '--type=merge', '-p', '{"spec":{"size":5}}')
    assert.equal(await kubectl('delete', 'fl', 'one'), 'flunder.wardle.example.com "one" deleted from default namespace\n')
  })

  test('rules of code refuse as those of the schema do', async () => {
    await assert.rejects(
      kubectl('create', '-f', flunder('none', 'nobody')),
      /spec\.reference: Invalid value: "nobody": there is no such fischer/,
    )
  })

  test('computed objects are read and watched, and not written', async () => {
    const { resource, ...wardle } = { group: 'wardle.example.com', version: 'v1beta1', resource: 'tides' }
    const seen: string[] = []
    const stop = new AbortController()
    const watching = (async () => {
      for await (const events of cluster
        .client()
        .watch<KubeObject & { readonly level?: number }>({ ...wardle, resource }, { signal: stop.signal })) {
        for (const event of events)
          if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name} ${event.object.level}`)
        if (seen.length >= 3) return
      }
    })()
    const tides = api.computed('tides')
    const tide = (level: number) => ({ apiVersion: 'wardle.example.com/v1beta1', kind: 'Tide', metadata: { name: 'cuxhaven' }, level })
    await tides.put(tide(1))
    await waitFor(() => seen.length === 1)
    assert.equal(await kubectl('get', 'tides'), 'NAME       LEVEL\ncuxhaven   1\n')
    await tides.put(tide(1))
    await tides.put(tide(2))
    await tides.replace([])
    await watching
    stop.abort()
    assert.deepEqual(seen, ['ADDED cuxhaven 1', 'MODIFIED cuxhaven 2', 'DELETED cuxhaven 2'])
    await assert.rejects(kubectl('delete', 'tide', 'cuxhaven'), /MethodNotAllowed|not found|does not allow/)
  })

  test('deleting a namespace deletes its aggregated objects', async () => {
    await kubectl('create', 'namespace', 'brief')
    await kubectl('apply', '-n', 'brief', '-f', flunder('three', 'fritz'))
    await kubectl('delete', 'namespace', 'brief', '--timeout=30s')
    assert.equal(
      (await api.client().list({ group: 'wardle.example.com', version: 'v1beta1', resource: 'flunders', namespace: 'brief' })).items.length,
      0,
    )
  })
})

test('Kubernetes’ own sample API server works behind ours', async (t) => {
  const built = await goPrograms('sample-apiserver')
  if (built.why !== undefined) return t.skip(built.why)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-sample-'))
  const programs: ReturnType<typeof spawn>[] = []
  t.after(async () => {
    for (const one of programs) {
      one.kill('SIGKILL')
      await once(one, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })
  await using cluster = await startCluster({ parts: ['server'], kubeconfig: path.join(folder, 'kubeconfig') })
  await cluster.listen()
  const [etcd, peer, port] = [await freePort(), await freePort(), await freePort()]
  const at = (p: number) => `http://127.0.0.1:${p}`
  programs.push(
    spawn(
      path.join(built.bin, 'etcd'),
      [
        '--data-dir',
        path.join(folder, 'etcd'),
        '--listen-client-urls',
        at(etcd),
        '--advertise-client-urls',
        at(etcd),
        '--listen-peer-urls',
        at(peer),
        '--initial-advertise-peer-urls',
        at(peer),
        '--initial-cluster',
        `default=${at(peer)}`,
      ],
      { stdio: 'ignore' },
    ),
    spawn(
      path.join(built.bin, 'sample-apiserver'),
      [
        '--etcd-servers',
        at(etcd),
        '--secure-port',
        String(port),
        '--bind-address',
        '127.0.0.1',
        '--cert-dir',
        path.join(folder, 'certs'),
        '--kubeconfig',
        path.join(folder, 'kubeconfig'),
        '--authentication-kubeconfig',
        path.join(folder, 'kubeconfig'),
        '--authorization-kubeconfig',
        path.join(folder, 'kubeconfig'),
      ],
      { stdio: 'ignore' },
    ),
  )
  const client = cluster.client()
  await client.create(
    { group: '', version: 'v1', resource: 'services', namespace: 'default' },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'wardle', annotations: { 'bowsprit.dev/local-port': String(port) } },
      spec: { ports: [{ port: 443 }] },
    },
  )
  await client.create(
    { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1alpha1.wardle.example.com' },
      spec: {
        group: 'wardle.example.com',
        version: 'v1alpha1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 'wardle' },
      },
    },
  )
  const wardle = { group: 'wardle.example.com', version: 'v1alpha1' }
  const flunders = { ...wardle, resource: 'flunders', namespace: 'default' }
  const isServed = () =>
    client.list(flunders).then(
      () => true,
      () => undefined,
    )
  await waitFor(isServed, { timeoutMs: 60_000 })
  const env = { ...process.env, KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder }
  const kubectl = async (...args: string[]) => (await run(kubectlPath(), args, { env })).stdout
  await client.create(
    { ...wardle, resource: 'fischers' },
    { apiVersion: 'wardle.example.com/v1alpha1', kind: 'Fischer', metadata: { name: 'fritz' }, disallowedFlunders: ['small'] },
  )
  const manifest = path.join(folder, 'flunder.yaml')
  writeFileSync(
    manifest,
    'apiVersion: wardle.example.com/v1alpha1\nkind: Flunder\nmetadata: { name: large, labels: { sample: "yes" } }\nspec: { reference: large }\n',
  )
  assert.equal(await kubectl('apply', '-f', manifest, '--validate=false'), 'flunder.wardle.example.com/large created\n')
  assert.equal(await kubectl('get', 'flunders', '-l', 'sample=yes', '-o', 'name'), 'flunder.wardle.example.com/large\n')
  const watched = client.watch(flunders)[Symbol.asyncIterator]()
  assert.equal((await watched.next()).value?.[0]?.type, 'ADDED')
  await watched.return?.()
  await waitFor(async () => (await kubectl('explain', 'flunders').catch(() => '')).includes('Flunder') || undefined)
  assert.equal(await kubectl('delete', 'flunder', 'large'), 'flunder.wardle.example.com "large" deleted from default namespace\n')
})
