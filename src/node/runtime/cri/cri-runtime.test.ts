import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http2, { type ServerHttp2Stream } from 'node:http2'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock, VirtualClock } from '../../../base/clock.ts'
import { quietErrors } from '../../../base/quiet.ts'
import { systemRandom } from '../../../base/random.ts'
import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { answer, serveUnix } from '../../../sdk/grpc/serve-unix.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { createProcessRuntime } from '../process-runtime.double.ts'
import { runtimeContract } from '../runtime.contract.ts'
import { RuntimeError } from '../runtime-error.ts'
import { RUNTIME_SERVICE as CRI } from './api/services.ts'
import { openCriRuntime } from './cri-runtime.ts'
import { serveCri } from './cri-server.double.ts'

const shell = (script: string) => ['sh', '-c', script]

runtimeContract('CRI runtime', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cri-'))
  const processes = createProcessRuntime({ clock: systemClock, random: systemRandom() })
  const socketPath = path.join(folder, 'cri.sock')
  const server = await serveCri({ socketPath, runtime: processes, folder, clock: systemClock })
  const runtime = await openCriRuntime({ socketPath, clock: systemClock }, new AbortController().signal)
  return {
    runtime,
    image: 'any',
    greets: shell('echo $GREETING'),
    fails: shell('exit 3'),
    lasts: ['sleep', '3600'],
    stays: shell("trap '' TERM; echo ready; while :; do sleep 1; done"),
    says: shell('echo hi'),
    refuses: shell('exit 7'),
    sleeps: ['sleep', '3600'],
    async until(what) {
      await waitFor(what, { everyMs: 5 })
    },
    settle: (promise) => promise,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await processes[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})

/** containerd, which refuses calls until it is complete: as Unavailable since 2.0, as Unknown before. */
test('a runtime that is starting is waited for; one without a socket is not', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cri-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const socketPath = path.join(folder, 'cri.sock')
  const open = () => openCriRuntime({ socketPath, clock: systemClock }, t.signal)
  await assert.rejects(open, { code: 'unavailable', message: /no such file or directory/ })
  let calls = 0
  const version = answer(CRI.version, () => {
    const refusal = (['Unavailable', 'Unknown'] as const)[calls++]
    if (refusal) throw new GrpcError(refusal, 'server is not initialized yet')
    return { version: '0.1.0', name: 'slow', runtimeVersion: 'v0', apiVersion: 'v1' }
  })
  await using _server = await serveUnix(socketPath, [version], { clock: systemClock })
  await using runtime = await open()
  assert.deepEqual([runtime.name, calls], ['slow', 3])
})

/** A message of gRPC with bytes that are none of protobuf's. */
const GARBAGE = Buffer.from([0, 0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff])

test('a runtime that answers garbage, or something else than gRPC, is an error of the runtime', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cri-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const garbage = http2.createServer().on('stream', (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(GARBAGE)
  })
  const text = net.createServer((socket) => {
    quietErrors(socket, 'the client hangs up')
    socket.end('220 mail.example.com\r\n')
  })
  for (const [name, server] of Object.entries({ garbage, text })) {
    const socketPath = path.join(folder, `${name}.sock`)
    await once(server.listen(socketPath), 'listening')
    const refused = assert.rejects(openCriRuntime({ socketPath, clock }, t.signal), RuntimeError)
    // It is waited for, as it may be starting.
    await clock.advance(40_000)
    await refused
    server.close()
  }
})

test('who does not wait any more for a runtime that hangs gets on at once', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cri-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const socketPath = path.join(folder, 'cri.sock')
  const version = answer(CRI.version, () => ({ version: '0.1.0', name: 'hangs', runtimeVersion: 'v0', apiVersion: 'v1' }))
  const forever = () => new Promise<never>(() => {})
  const hanging = [answer(CRI.status, forever), answer(CRI.stopPodSandbox, forever)]
  await using _server = await serveUnix(socketPath, [version, ...hanging], { clock: systemClock })
  await using runtime = await openCriRuntime({ socketPath, clock: systemClock }, t.signal)
  for (const call of [runtime.status, (signal: AbortSignal) => runtime.stopSandbox('s', signal)]) {
    const stop = new AbortController()
    const waiting = call(stop.signal)
    stop.abort(new Error('the pod is left'))
    await assert.rejects(waiting, { message: 'the pod is left' })
  }
})
