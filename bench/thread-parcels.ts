/**
 * `node bench/thread-parcels.ts [--messages 200000] [--bytes 1000] [--turn 16]`: four ways to bring messages to another thread, so many in
 * each turn of the event loop: microseconds of CPU a message, of both threads together. Why links transfer parcels
 * (`src/threads/README.md`).
 */
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

interface Task {
  readonly way: string
  readonly messages: number
  readonly ring: SharedArrayBuffer
}

/** The ring's two counters, of bytes written and read since the start, come before its data. */
const COUNTERS = 8
const RING_BYTES = 1 << 22
const WRITTEN = 0
const READ = 1

if (isMainThread) await measureAll()
else await receive(workerData as Task)

async function measureAll(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '200000' },
      bytes: { type: 'string', default: '1000' },
      turn: { type: 'string', default: '16' },
    },
  })
  using _ = keptAlive()
  const [messages, bytes, perTurn] = [Number(values.messages), Number(values.bytes), Number(values.turn)]
  for (const way of ['strings', 'cloned buffers', 'transferred parcels', 'ring in shared memory']) {
    const ring = new SharedArrayBuffer(COUNTERS + RING_BYTES)
    const worker = new Worker(import.meta.filename, { workerData: { way, messages, ring } satisfies Task })
    await new Promise((resolve) => worker.once('message', resolve))
    const done = new Promise((resolve) => worker.once('message', resolve))
    const before = process.cpuUsage()
    const send = sender(way, worker, ring)
    const message = Buffer.alloc(bytes, 'x')
    for (let sent = 0; sent < messages; sent += perTurn) {
      await send(message, Math.min(perTurn, messages - sent))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await done
    const { user, system } = process.cpuUsage(before)
    console.log(`${way}: ${((user + system) / messages).toFixed(2)} µs a message of ${bytes} bytes, ${perTurn} in a turn`)
    await worker.terminate()
  }
}

type Send = (message: Buffer, times: number) => unknown

function sender(way: string, worker: Worker, shared: SharedArrayBuffer): Send {
  if (way === 'strings') return (message, times) => repeat(times, () => worker.postMessage(message.toString('latin1')))
  if (way === 'cloned buffers') return (message, times) => repeat(times, () => worker.postMessage(new Uint8Array(message)))
  if (way === 'transferred parcels')
    return (message, times) => {
      const parcel = new Uint8Array(times * (4 + message.length))
      repeat(times, (i) => writeFrame(parcel, i * (4 + message.length), message))
      worker.postMessage(parcel.buffer, [parcel.buffer])
    }
  const [counters, data] = ringOf(shared)
  return async (message, times) => {
    for (let i = 0; i < times; i++) {
      const written = Atomics.load(counters, WRITTEN)
      const frame = 4 + message.length
      while (written + frame - Atomics.load(counters, READ) > RING_BYTES)
        await Atomics.waitAsync(counters, READ, Atomics.load(counters, READ)).value
      const head = Buffer.allocUnsafe(frame)
      writeFrame(head, 0, message)
      copyInto(data, written % RING_BYTES, head)
      Atomics.store(counters, WRITTEN, written + frame)
    }
    Atomics.notify(counters, WRITTEN)
  }
}

function repeat(times: number, work: (i: number) => void): void {
  for (let i = 0; i < times; i++) work(i)
}

function writeFrame(into: Uint8Array, at: number, message: Uint8Array): void {
  new DataView(into.buffer, into.byteOffset).setUint32(at, message.length, true)
  into.set(message, at + 4)
}

function ringOf(shared: SharedArrayBuffer): [Int32Array, Uint8Array] {
  return [new Int32Array(shared, 0, 2), new Uint8Array(shared, COUNTERS)]
}

/** Bytes that reach the end of the ring go on at its start. */
function copyInto(ring: Uint8Array, at: number, bytes: Uint8Array): void {
  const first = Math.min(bytes.length, RING_BYTES - at)
  ring.set(bytes.subarray(0, first), at)
  ring.set(bytes.subarray(first), 0)
}

async function receive({ way, messages, ring }: Task): Promise<void> {
  if (parentPort === null) throw new Error('the receiver is a worker')
  const port = parentPort
  let left = messages
  const took = (some: number) => {
    left -= some
    if (left === 0) port.postMessage('done')
  }
  port.postMessage('ready')
  if (way === 'ring in shared memory') return receiveFromRing(ring, messages, took)
  port.on('message', (message: string | Uint8Array | ArrayBuffer) => took(message instanceof ArrayBuffer ? framesIn(message) : 1))
}

function framesIn(parcel: ArrayBuffer): number {
  const view = new DataView(parcel)
  let frames = 0
  for (let at = 0; at < parcel.byteLength; at += 4 + view.getUint32(at, true)) frames++
  return frames
}

function keptAlive(): Disposable {
  const timer = setInterval(() => {}, 1000)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function receiveFromRing(shared: SharedArrayBuffer, messages: number, took: (some: number) => void): Promise<void> {
  const [counters, data] = ringOf(shared)
  const head = Buffer.alloc(4)
  // A wait for shared memory does not keep a thread alive.
  using _ = keptAlive()
  for (let left = messages; left > 0; ) {
    const written = Atomics.load(counters, WRITTEN)
    let read = Atomics.load(counters, READ)
    if (read === written) {
      await Atomics.waitAsync(counters, WRITTEN, written).value
      continue
    }
    const before = left
    for (; read < written; left--) {
      for (let i = 0; i < 4; i++) head[i] = data[(read + i) % RING_BYTES] ?? 0
      const length = head.readUInt32LE(0)
      // What is received has to outlive the ring's next round.
      const start = (read + 4) % RING_BYTES
      const first = data.slice(start, Math.min(start + length, RING_BYTES))
      if (first.length < length) Buffer.concat([first, data.slice(0, length - first.length)])
      read += 4 + length
    }
    Atomics.store(counters, READ, read)
    Atomics.notify(counters, READ)
    took(before - left)
  }
}
