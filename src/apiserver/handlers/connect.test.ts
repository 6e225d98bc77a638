import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { AdmissionPlugin } from '../admission/plugin.ts'
import type { Connector, ConnectRequest } from '../extension-points.ts'
import { pipelineDouble, RequestDouble } from '../pipeline/pipeline.double.ts'
import { pipelineOf, runPipeline } from '../pipeline/pipeline.ts'
import { widget, widgets } from '../store/store.double.ts'

const WIDGETS = '/apis/example.com/v1/namespaces/ns/widgets'
const STEPS = pipelineOf({ identify: [], admitToFlow: [], matchTypes: [], negotiate: [] })
const methods = ['GET', 'POST']

// Only built-in kinds have streams.
const { customDefinition: _, ...builtin } = widgets

const streamed = {
  ...builtin,
  subresources: {
    proxy: {
      kind: 'connect' as const,
      connector: 'proxy',
      verbs: ['get' as const, 'create' as const],
      methods,
      input: { group: '', version: 'v1', kind: 'WidgetProxyOptions' },
      options: (_query: unknown, path: string) => ({ path }),
    },
    log: { kind: 'connect' as const, connector: 'log', verbs: ['get' as const], methods: ['GET'] },
    exec: { kind: 'connect' as const, connector: 'nothing', verbs: ['get' as const], methods: ['GET'] },
  },
}

/** Connects, and returns the connector's request, or the reason of the error. */
async function connected(path: string, connector: Connector = async () => {}, admission: readonly AdmissionPlugin[] = []) {
  const seen: ConnectRequest[] = []
  const noted: Connector = (request, answer, tools) => {
    seen.push(request)
    return connector(request, answer, tools)
  }
  await using world = await pipelineDouble({ connectors: { proxy: noted, log: noted }, admission }, streamed)
  await world.store.create(world.write(), widget({ size: 1 }))
  try {
    await runPipeline(STEPS, world.server, new RequestDouble(`GET ${WIDGETS}/${path}`))
    return seen[0]
  } catch (error) {
    assert.ok(isStatus(error), String(error))
    return `${error.status.code} ${error.message}`
  }
}

for (const [path, place] of [
  ['a/proxy', { name: 'a', scheme: '', port: '', rest: '' }],
  ['a:80/proxy', { name: 'a', scheme: '', port: '80', rest: '' }],
  ['https:a:web/proxy/x/y', { name: 'a', scheme: 'https', port: 'web', rest: '/x/y' }],
  ['http:a:/proxy', { name: 'a', scheme: 'http', port: '', rest: '' }],
  [':a:80/proxy', { name: 'a', scheme: '', port: '80', rest: '' }],
  ['a/proxy?dryRun=', '400 dryRun is not supported'],
  ['a/proxy?dryRun=All', '400 dryRun is not supported'],
  ['ftp:a:80/proxy', '400 invalid widget request "ftp:a:80"'],
  ['a:b:c:d/proxy', '400 invalid widget request "a:b:c:d"'],
  // Only proxies have schemes and ports.
  ['https:a:80/log', { name: 'https:a:80', scheme: '', port: '', rest: '' }],
] as const)
  test(`GET ${path} connects to ${JSON.stringify(place)}`, async () => {
    const found = await connected(path)
    if (typeof found === 'string' || found === undefined) assert.equal(found, place)
    else assert.deepEqual({ name: found.name, scheme: found.scheme, port: found.port, rest: found.rest }, place)
  })

test('a subresource without a connector is not implemented', async () => {
  assert.match(String(await connected('a/exec')), /^501 .*exec of widgets/)
})

test('a connector finds the object of the path, or refuses with 404', async () => {
  const objects: KubeObject[] = []
  const connector: Connector = async (_request, _answer, tools) => void objects.push(tools.object())
  await connected('https:a:80/proxy', connector)
  assert.equal(objects[0]?.metadata.name, 'a')
  assert.equal(await connected('b/proxy', connector), '404 widgets.example.com "b" not found')
})

for (const [path, options] of [
  ['a/proxy', ''],
  ['a/proxy/', '/'],
  ['a/proxy/x', '/x'],
  ['a/proxy/x/', '/x/'],
  ['a/proxy/x?q=/', '/x'],
] as const)
  test(`admission of ${path} sees a CONNECT with the path ${JSON.stringify(options)}`, async () => {
    const seen: unknown[] = []
    const plugin: AdmissionPlugin = {
      name: 'Test',
      handles: () => true,
      validate: (request) =>
        void seen.push([request.operation, request.object?.kind, (request.object as { path?: string } | undefined)?.path]),
    }
    await connected(path, async () => {}, [plugin])
    assert.deepEqual(seen, [['CONNECT', 'WidgetProxyOptions', options]])
  })

test('what admission refuses is not connected, whether or not there is an object', async () => {
  const plugin: AdmissionPlugin = {
    name: 'Test',
    handles: ({ operation }) => operation === 'CONNECT',
    validate() {
      throw new Error('no')
    },
  }
  for (const path of ['a/proxy', 'b/proxy'])
    await assert.rejects(
      connected(path, async (_request, _answer, tools) => void tools.object(), [plugin]),
      /no/,
    )
})
