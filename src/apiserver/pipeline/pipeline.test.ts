import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../machinery/status-error.ts'
import type { DelegateServer } from '../delegate-server.ts'
import { widget } from '../store/store.double.ts'
import { pipelineDouble, RequestDouble } from './pipeline.double.ts'
import { pipelineOf, runPipeline } from './pipeline.ts'
import type { PipelineServer } from './step.ts'

/** The pipeline with entrance steps that note when it is their turn. */
function noted(stopAt = '') {
  const turns: string[] = []
  const step = (name: string) => (_server: PipelineServer, request: RequestDouble) => {
    turns.push(name)
    if (name === stopAt) request.over = true
  }
  const steps = pipelineOf<PipelineServer, RequestDouble>({
    identify: [step('limit'), step('identify')],
    admitToFlow: [step('seat')],
    matchTypes: [step('match')],
    negotiate: [step('negotiate')],
  })
  return { steps, turns }
}

const delegate = { forward: async () => {} } as Partial<DelegateServer> as DelegateServer
const delegates = {
  of: (path: string) => (path.startsWith('/apis/other') ? delegate : undefined),
  generation: 0,
  groups: () => [],
  discovery: () => undefined,
  openapiV3: () => new Map(),
  openapiV2: () => [],
}

const WIDGETS = '/apis/example.com/v1/namespaces/ns/widgets'
const ENTRANCE = 'limit identify seat'

for (const [line, turns, result] of [
  ['GET /version', ENTRANCE, 'page'],
  ['GET /nothing', ENTRANCE, 'page'],
  ['GET /apis/other/v1/things', ENTRANCE, 'delegated'],
  [`GET ${WIDGETS}`, `${ENTRANCE} match negotiate`, 'handled'],
  [`GET ${WIDGETS}/a`, `${ENTRANCE} match negotiate`, 'NotFound'],
  [`GET ${WIDGETS}/a/nothing`, ENTRANCE, 'NotFound'],
  [`OPTIONS ${WIDGETS}`, ENTRANCE, 'MethodNotAllowed'],
] as const)
  test(`${line} passes ${turns}: ${result}`, async () => {
    await using world = await pipelineDouble({ delegates })
    const { steps, turns: taken } = noted()
    const request = new RequestDouble(line)
    const run = async () => runPipeline(steps, world.server, request)
    const seen = await run().then(
      () => request.result?.kind,
      (error) => (isStatus(error) ? error.status.reason : String(error)),
    )
    assert.equal(seen, result)
    assert.equal(taken.join(' '), turns)
  })

test('a request whose client has gone goes no further', async () => {
  await using world = await pipelineDouble()
  const { steps, turns } = noted('identify')
  const request = new RequestDouble(`GET ${WIDGETS}`)
  await runPipeline(steps, world.server, request)
  assert.deepEqual([turns, request.result], [['limit', 'identify'], undefined])
})

test('a create reaches the store with the user and the field manager of its request', async () => {
  await using world = await pipelineDouble()
  const body = { kind: 'object', value: widget({ size: 1 }) } as const
  const request = new RequestDouble(`POST ${WIDGETS}`, { body })
  await runPipeline(noted().steps, world.server, request)
  assert.equal(request.result?.kind, 'handled')
  assert.deepEqual(
    world.stored().metadata.managedFields?.map((entry) => [entry.manager, entry.operation]),
    [['test', 'Update']],
  )
})
