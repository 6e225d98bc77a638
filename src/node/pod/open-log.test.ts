import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerStatus } from '../../resources/types/core.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { containerStatus, podDouble } from '../types/pod.double.ts'
import { openLog } from './open-log.ts'

/** The id of the container whose log is read for this status; the runtime has every log. */
async function readId(status: Partial<ContainerStatus> | undefined, previous = false): Promise<string> {
  const requested: string[] = []
  const runtime: Pick<Runtime, 'logs'> = {
    async logs(id) {
      requested.push(id)
      return undefined
    },
  }
  const pod = podDouble(status && { status: { containerStatuses: [containerStatus(status)] } })
  for await (const _ of openLog({ pod, container: 'main', query: { previous } }, runtime as Runtime, new AbortController().signal));
  return requested.join()
}

const ended = { exitCode: 1, containerID: 'old' }

for (const [text, status, previous, id] of [
  ['runs', { containerID: 'new', state: { running: {} } }, false, 'new'],
  ['has ended', { state: { terminated: { exitCode: 0, containerID: 'done' } } }, false, 'done'],
  ['waits to start again', { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: ended } }, false, 'old'],
  [
    'runs again, and the log before is wanted',
    { containerID: 'new', state: { running: {} }, lastState: { terminated: ended } },
    true,
    'old',
  ],
] as const)
  test(`the log of a container that ${text} is that of ${id}`, async () => assert.equal(await readId(status, previous), id))

for (const [text, status, previous, message] of [
  ['is not in the status', undefined, false, 'container "main" in pod "p" is not available'],
  [
    'waits for its image',
    { state: { waiting: { reason: 'ImagePullBackOff' } } },
    false,
    'container "main" in pod "p" is waiting to start: trying and failing to pull image',
  ],
  [
    'waits for something else',
    { state: { waiting: { reason: 'ContainerCreating' } } },
    false,
    'container "main" in pod "p" is waiting to start: ContainerCreating',
  ],
  ['has no attempt before', { state: { running: {} } }, true, 'previous terminated container "main" in pod "p" not found'],
] as const)
  test(`there is no log of a container that ${text}`, () =>
    assert.rejects(readId(status, previous), { name: 'LogError', code: 'no-log', message }))
