/** A port-forward that outlives the containers behind it: the pod's network stays, so that kubectl reaches the next listener. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Program } from '../../src/node/programs/program.ts'
import { PODS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'

const pods = { ...PODS, namespace: 'default' }

/** Echoes its input; `die` ends it. */
const fragile: Program = async (container) => {
  const dead = Promise.withResolvers<number>()
  await container.listen(7, {
    connection: (socket) =>
      void socket.on('data', (bytes: Buffer) => {
        if (String(bytes) === 'die') dead.resolve(3)
        else socket.write(`${container.facts.restarts}: ${bytes}`)
      }),
  })
  return dead.promise
}

for (const [how, environment] of [
  ['WebSocket', {}],
  ['SPDY', { KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
] as const) {
  test(`kubectl port-forward over ${how}: connections end with the container, and new ones reach the next`, async () => {
    await using cluster = await startCluster({ images: { 'example/fragile': fragile } })
    await cluster.listen()
    const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-forward-'))
    const stop = new AbortController()
    try {
      writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
      const client = cluster.client()
      await waitFor(() => client.create(pods, pod('fragile', { image: 'example/fragile' })), { clock: systemClock })
      const running = async (restarts: number) => {
        const { containerStatuses } = (await client.get({ ...pods, name: 'fragile' })).status ?? {}
        return containerStatuses?.[0]?.state?.running !== undefined && containerStatuses[0]?.restartCount === restarts
      }
      await waitFor(() => running(0), { clock: systemClock })
      const local = Promise.withResolvers<number>()
      const child = runProgram(kubectlPath('36'), ['port-forward', 'pod/fragile', ':7'], {
        env: { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder, ...environment },
        cwd: folder,
        stdin: '',
        timeoutMs: 30_000,
        signal: stop.signal,
        onOut(out) {
          const [, port] = out.match(/127\.0\.0\.1:(\d+) ->/) ?? []
          if (port !== undefined) local.resolve(Number(port))
        },
      })
      const open = async () => {
        const socket = net.connect(await local.promise, '127.0.0.1')
        await once(socket, 'connect')
        return socket
      }
      const says = async (socket: net.Socket, text: string) => {
        socket.write(text)
        return String((await once(socket, 'data'))[0])
      }
      const [first, other] = [await open(), await open()]
      assert.equal(await says(first, 'a'), '0: a')
      assert.equal(await says(other, 'b'), '0: b')
      const ends = Promise.all([first, other].map((socket) => once(socket, 'close')))
      first.write('die')
      await ends
      await waitFor(() => running(1), { clock: systemClock })
      const second = await open()
      assert.equal(await says(second, 'c'), '1: c')
      second.destroy()
      stop.abort()
      await child.catch(() => {})
    } finally {
      stop.abort()
      rmSync(folder, { recursive: true })
    }
  })
}
