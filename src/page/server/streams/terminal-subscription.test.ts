import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ByteSource, RemoteProcess } from '../../../machinery/streams.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { TerminalSubscription } from './terminal-subscription.ts'

const QUERY = {
  object: { group: '', version: 'v1', resource: 'pods', namespace: 'default', name: 'web' },
  container: '',
  command: 'shell',
  size: { width: 80, height: 24 },
} as const

/** A client whose container takes nothing that is typed, until its process is ended. */
function stuck() {
  let ended = false
  const end = Promise.withResolvers<never>()
  end.promise.catch(() => {})
  const silent = (): ByteSource => ({
    async *[Symbol.asyncIterator]() {
      await end.promise
      yield new Uint8Array()
    },
  })
  const process = {
    stdin: { write: () => end.promise },
    stdout: silent(),
    stderr: silent(),
    exit: end.promise,
    resize() {},
    async [Symbol.asyncDispose]() {
      ended = true
      end.reject(new Error('the connection is closed'))
    },
  } as unknown as RemoteProcess
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const client = { get: async () => pod, exec: async () => process } as unknown as Client
  return { client, isEnded: () => ended }
}

test('a container that does not read what is typed: the terminal says so, and its process is ended', async () => {
  const { client, isEnded } = stuck()
  const terminal = new TerminalSubscription({ id: 1, client, query: QUERY, changed() {} })
  await waitFor(() => terminal.next().page.state === 'running')
  for (let i = 0; i < 17; i++) terminal.ask({ type: 'keys', id: 1, text: 'x'.repeat(16 * 1024) })
  const { state, problem } = terminal.next().page
  assert.deepEqual([state, problem], ['ended', 'the container does not read what is typed'])
  await waitFor(isEnded)
  assert.equal(terminal.next().page.problem, 'the container does not read what is typed')
})
