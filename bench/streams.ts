/**
 * Streams into containers over real sockets, client and server in one process: exec, port-forward, followed logs. `npm run bench --
 * streams`.
 */
import { createHash } from 'node:crypto'
import http2 from 'node:http2'
import { WebSocket } from 'ws'
import type { ContainerProcess } from '../src/node/programs/program.ts'
import { PODS } from '../src/resources/refs.ts'
import { pod } from '../src/testing/builders.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { waitFor } from '../src/testing/wait-for.ts'
import type { Result } from './measures.ts'

const TRIPS = 200
const FORWARDED_BYTES = 100 * 1024 * 1024
const CHUNK = Buffer.alloc(32 * 1024, 7)
/** What the client has under way. */
const AHEAD_BYTES = 1024 * 1024
const FOLLOWERS = 10_000
const NAME = 'streamed'

/** Gives back what it is given, as it comes. */
async function echoes({ stdin, stdout }: ContainerProcess): Promise<void> {
  for await (const chunk of stdin) await stdout.write(chunk)
}

export async function streams(): Promise<Result[]> {
  const running = Promise.withResolvers<ContainerProcess>()
  const program = async (container: ContainerProcess) => {
    await container.listen(7, { connection: (connection) => void connection.pipe(connection) })
    running.resolve(container)
    await new Promise(() => {})
  }
  await using cluster = await startCluster({ images: { 'bench/echo': { run: program, commands: { echoes } } } })
  const address = await cluster.listen()
  const client = cluster.client()
  await waitFor(() => client.create({ ...PODS, namespace: 'default' }, pod(NAME, { image: 'bench/echo' })))
  const container = await running.promise
  await waitFor(async () => (await client.get({ ...PODS, namespace: 'default', name: NAME })).status?.phase === 'Running')
  const at: Place = { address, tls: tlsOf(cluster.kubeconfig()) }
  const out: Result[] = []
  for (const measure of [execTrips, forward, followed, followers]) out.push(...(await measure(at, container)))
  return out
}

interface Place {
  readonly address: string
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string }
}

function tlsOf(kubeconfig: string): Place['tls'] {
  const pem = (name: string) => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString()
  return { ca: pem('certificate-authority-data'), cert: pem('client-certificate-data'), key: pem('client-key-data') }
}

const PATH = `/api/v1/namespaces/default/pods/${NAME}`

async function open({ address, tls }: Place, path: string, protocol: string): Promise<WebSocket> {
  const socket = new WebSocket(`${address.replace('https', 'wss')}${path}`, protocol, tls)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return socket
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
const ms = (value: number) => `${value.toFixed(2)} ms`

/** Whole commands, each with a connection of its own; and a line through one that runs. */
async function execTrips(at: Place): Promise<Result[]> {
  const whole: number[] = []
  for (let i = 0; i < TRIPS; i++) {
    const began = performance.now()
    const socket = await open(at, `${PATH}/exec?command=true&stdout=1&stderr=1`, 'v5.channel.k8s.io')
    await new Promise((resolve) => socket.once('close', resolve))
    whole.push(performance.now() - began)
  }
  const socket = await open(at, `${PATH}/exec?command=echoes&stdin=1&stdout=1`, 'v5.channel.k8s.io')
  const line: number[] = []
  for (let i = 0; i < TRIPS; i++) {
    const began = performance.now()
    const echoed = new Promise<void>((resolve) => {
      const look = (message: Buffer) => {
        if (message.length < 2) return
        socket.off('message', look)
        resolve()
      }
      socket.on('message', look)
    })
    socket.send(Buffer.from('\0hello\n'))
    await echoed
    line.push(performance.now() - began)
  }
  socket.terminate()
  return [
    { measure: 'exec: a command, from the connection to its status', value: ms(median(whole)), aim: '–', upstream: '–' },
    { measure: 'exec: a line to a process and back', value: ms(median(line)), aim: '≤ 5 ms', upstream: '–' },
  ]
}

/** The same bytes there and back. */
async function forward(at: Place): Promise<Result[]> {
  const socket = await open(at, `${PATH}/portforward?ports=7`, 'v4.channel.k8s.io')
  const [there, back] = [createHash('sha256'), createHash('sha256')]
  let received = 0
  let most = 0
  const before = process.memoryUsage.rss()
  const began = performance.now()
  const cpu = process.cpuUsage()
  const done = new Promise<void>((resolve) => {
    socket.on('message', (message: Buffer) => {
      // Each channel begins with the number of its port.
      if (message[0] !== 0 || (message.length === 3 && received === 0)) return
      back.update(message.subarray(1))
      received += message.length - 1
      if (received >= FORWARDED_BYTES) resolve()
    })
  })
  const framed = Buffer.concat([Buffer.of(0), CHUNK])
  for (let sent = 0; sent < FORWARDED_BYTES; sent += CHUNK.length) {
    there.update(CHUNK)
    const left = new Promise<void>((resolve) => socket.send(framed, () => resolve()))
    if (socket.bufferedAmount > AHEAD_BYTES) await left
    if (sent % (CHUNK.length * 64) === 0) most = Math.max(most, process.memoryUsage.rss() - before)
  }
  await done
  const seconds = (performance.now() - began) / 1000
  socket.terminate()
  const same = there.digest('hex') === back.digest('hex')
  const { user, system } = process.cpuUsage(cpu)
  const perCpu = Math.round((2 * FORWARDED_BYTES) / (user + system))
  const rate = Math.round((2 * FORWARDED_BYTES) / 1e6 / seconds)
  return [
    {
      measure: 'port-forward: 100 MB there and back, both counted',
      value: `${rate} MB/s, ${perCpu} MB per second of CPU at both ends${same ? '' : ', AND NOT THE SAME'}`,
      aim: '≥ 200 MB/s',
      upstream: '–',
    },
    { measure: 'the same: memory more than before, at most', value: `${Math.round(most / 1e6)} MB`, aim: '≤ 64 MB', upstream: '–' },
  ]
}

/** From the moment a container prints to the moment its follower has it. */
async function followed({ address, tls }: Place, container: ContainerProcess): Promise<Result[]> {
  const session = http2.connect(address, tls)
  const first: number[] = []
  for (let i = 0; i < TRIPS; i++) {
    container.log(`line ${i}`)
    const began = performance.now()
    const stream = session.request({ ':path': `${PATH}/log?follow=true&tailLines=1` })
    await new Promise((resolve) => stream.once('data', resolve))
    first.push(performance.now() - began)
    stream.close()
  }
  session.close()
  return [{ measure: 'first byte of a followed log, on a connection that stands', value: ms(median(first)), aim: '≤ 5 ms', upstream: '–' }]
}

async function followers({ address, tls }: Place, container: ContainerProcess): Promise<Result[]> {
  const before = process.memoryUsage.rss()
  const sessions = Array.from({ length: FOLLOWERS / 100 }, () => http2.connect(address, tls))
  let heard = 0
  let wanted = Promise.withResolvers<void>()
  const hear = () => {
    if (++heard % FOLLOWERS === 0) wanted.resolve()
  }
  container.log('ready')
  for (const session of sessions)
    for (let i = 0; i < 100; i++) session.request({ ':path': `${PATH}/log?follow=true&tailLines=1` }).on('data', hear)
  await wanted.promise
  const held = process.memoryUsage.rss() - before
  wanted = Promise.withResolvers<void>()
  const cpu = process.cpuUsage()
  container.log('news')
  await wanted.promise
  const { user, system } = process.cpuUsage(cpu)
  for (const session of sessions) session.destroy()
  return [
    {
      measure: `${FOLLOWERS.toLocaleString('en')} followers of one log, both ends: memory`,
      value: `${Math.round(held / 1e6)} MB`,
      aim: '–',
      upstream: '–',
    },
    { measure: 'the same: CPU for a line to all of them', value: `${Math.round((user + system) / 1000)} ms`, aim: '–', upstream: '–' },
  ]
}
