import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ByteSink, ProcessStreams } from '../../../machinery/streams.ts'
import type { ImagePrograms } from '../../../node/programs/program.ts'
import type { ContainerSpec, Mount } from '../../../node/runtime/container-spec.ts'
import type { SimulatedRuntime } from '../../../node/runtime/simulated/simulated-runtime.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import type { ProgramsUnderTest } from './programs.double.ts'

const never = new AbortController().signal
const pod = { uid: 'u', name: 'p', namespace: 'default' }

const IMAGES: ImagePrograms = {
  server: async (container) => {
    await container.listen(80, (request) => new Response(`you asked for ${new URL(request.url).pathname}`))
    container.log('listening')
  },
  echo: {
    run: async (container) => {
      for await (const chunk of container.stdin) await container.stdout.write(chunk)
      return 5
    },
    commands: {
      async upper(container) {
        for await (const chunk of container.stdin) await container.stdout.write(Buffer.from(chunk).toString().toUpperCase())
        await container.stderr.write('done\n')
        return 4
      },
      forever: (container) => container.clock.sleep(1e9).then(() => undefined),
    },
  },
  /** Ends with its first message. */
  fragile: async (container) => {
    const dead = Promise.withResolvers<number>()
    await container.listen(7, { connection: (socket) => void socket.on('data', () => dead.resolve(3)) })
    return dead.promise
  },
  writer: async (container) => {
    await container.files.writeFile('/dev/termination-log', 'this is why')
    await container.clock.sleep(1e9)
  },
  printer: async (container) => {
    for (let i = 0; i < 20_000; i++) await container.stdout.write(`line ${i}\n`)
  },
}

/** What programs of containers must do, whatever thread they run in. */
export function containerProgramsContract(name: string, open: (images: ImagePrograms) => Promise<ProgramsUnderTest>): void {
  const it = (rule: string, body: (runtime: SimulatedRuntime) => Promise<void>) =>
    test(`${name}: ${rule}`, async () => {
      await using under = await open(IMAGES)
      await body(under.runtime)
    })

  it('a command gets its input, prints, and ends with its code', async (runtime) => {
    const { id } = await started(runtime, { image: 'echo', stdin: true })
    const [out, err] = [collected(), collected()]
    const streams: ProcessStreams = { stdin: bytes('hello'), stdout: out.sink, stderr: err.sink, tty: false }
    assert.deepEqual(await runtime.exec(id, ['upper'], streams, never), { exitCode: 4 })
    assert.deepEqual([out.text(), err.text()], ['HELLO', 'done\n'])
  })

  it('a command ends when its client goes', async (runtime) => {
    const { id } = await started(runtime, { image: 'echo', stdin: true })
    const client = new AbortController()
    const running = runtime.exec(id, ['forever'], { tty: false }, client.signal)
    client.abort(new Error('gone'))
    assert.deepEqual(await running, { exitCode: 137 })
  })

  it('a command that no program has is not found', async (runtime) => {
    const { id } = await started(runtime, { image: 'echo', stdin: true })
    await assert.rejects(runtime.exec(id, ['nothing-of-that-name'], { tty: false }, never), /executable file not found/)
  })

  it('a client joins the main process, which goes on when the client goes', async (runtime) => {
    const { id } = await started(runtime, { image: 'echo', stdin: true })
    const out = collected()
    const client = new AbortController()
    const joined = runtime.attach(id, { stdin: bytes('abc\n'), stdout: out.sink, tty: false }, client.signal)
    await waitFor(() => out.text() === 'abc\n')
    client.abort(new Error('gone'))
    await joined
    await waitFor(async () => (await logOf(runtime, id)) === 'abc\n')
    assert.equal(await stateOf(runtime, id), 'running')
  })

  it('a program that is killed leaves its termination message', async (runtime) => {
    const { id } = await started(runtime, { image: 'writer' })
    await waitFor(async () => runtime.podFiles?.(pod.uid) !== undefined)
    await waitFor(async () => {
      await runtime.stopContainer(id, 0, never)
      return true
    })
    const [status] = await runtime.containers({ podUid: pod.uid }, never)
    assert.deepEqual([status?.state, status?.message], ['exited', 'this is why'])
  })

  it('every line of a log is there, in order', async (runtime) => {
    const { id } = await started(runtime, { image: 'printer' })
    await ended(runtime, id)
    const lines = (await logOf(runtime, id)).trimEnd().split('\n')
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [20_000, 'line 0', 'line 19999'])
  })

  it('a port that a program listens to answers probes and port-forwards; another is refused', async (runtime) => {
    const { ip, sandbox, id } = await started(runtime, { image: 'server' })
    await waitFor(async () => (await logOf(runtime, id)).includes('listening'))
    const network = await runtime.networkAt(ip, 80)
    const request = { host: ip, port: 80, timeoutMs: 5000, scheme: 'http', path: '/x', headers: [] } as const
    assert.deepEqual(await network?.http(request, never), { status: 200, body: 'you asked for /x' })
    await network?.tcp({ host: ip, port: 80, timeoutMs: 5000 }, never)
    await assert.rejects(
      async () => network?.tcp({ host: ip, port: 81, timeoutMs: 5000 }, never),
      /dial tcp .*:81: connect: connection refused/,
    )
    const out = collected()
    const answered = Promise.withResolvers<void>()
    const request80 = bytes('GET /y HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n', answered.promise)
    const forwarding = runtime.portForward(sandbox, 80, { source: request80, sink: out.sink }, never)
    await waitFor(() => /you asked for \/y/.test(out.text()))
    answered.resolve()
    await forwarding
    await assert.rejects(runtime.portForward(sandbox, 81, { source: bytes(''), sink: collected().sink }, never), /connection refused/)
  })

  it('a forwarded connection ends with the program, and that is no error', async (runtime) => {
    const { ip, sandbox, id } = await started(runtime, { image: 'fragile' })
    await waitFor(async () => (await runtime.networkAt(ip, 7)) !== undefined)
    const open = Promise.withResolvers<void>()
    await runtime.portForward(sandbox, 7, { source: bytes('die', open.promise), sink: collected().sink }, never)
    await ended(runtime, id)
    open.resolve()
  })

  it('a pod without programs has no network of programs, and no files', async (runtime) => {
    const { ip, sandbox } = await started(runtime, { image: 'unknown' })
    assert.equal(await runtime.networkAt(ip, 80), undefined)
    assert.equal(runtime.podFiles?.(pod.uid), undefined)
    assert.equal(await runtime.readVolumeFile?.(pod.uid, 'data', 'x'), undefined)
    const connection = { source: bytes(''), sink: collected().sink }
    await assert.rejects(runtime.portForward(sandbox, 80, connection, never))
  })
}

async function started(runtime: SimulatedRuntime, own: Partial<ContainerSpec> & { readonly image: string }) {
  const dns = { servers: [], searches: [], options: [] }
  const plain = { labels: {}, annotations: {} }
  const sandbox = await runtime.runSandbox({ pod, attempt: 0, hostname: 'p', hostNetwork: false, dns, runtimeHandler: '', ...plain }, never)
  const { id: imageId } = await runtime.pullImage({ image: own.image }, never)
  const spec: ContainerSpec = {
    pod,
    name: 'main',
    attempt: 0,
    imageId,
    command: [],
    args: [],
    environment: [],
    mounts: [] satisfies Mount[],
    devices: [],
    cdiDevices: [],
    ...plain,
    resources: {},
    user: { supplementalGroups: [] },
    stdin: false,
    tty: false,
    ...own,
  }
  const id = await runtime.createContainer(sandbox, spec, never)
  await runtime.startContainer(id, never)
  const [status] = await runtime.sandboxes({ podUid: pod.uid }, never)
  return { sandbox, id, ip: status?.ips[0] ?? '' }
}

const stateOf = async (runtime: SimulatedRuntime, id: string) =>
  (await runtime.containers({ podUid: pod.uid }, never)).find((c) => c.id === id)?.state

const ended = (runtime: SimulatedRuntime, id: string) => waitFor(async () => (await stateOf(runtime, id)) === 'exited')

async function logOf(runtime: SimulatedRuntime, id: string): Promise<string> {
  let text = ''
  for await (const piece of (await runtime.logs(id, {}, never)) ?? []) text += piece
  return text
}

/** Input that ends after `last`. */
async function* bytes(text: string, last?: Promise<void>): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text)
  await last
}

function collected(): { readonly sink: ByteSink; text(): string } {
  const chunks: Uint8Array[] = []
  return {
    sink: { write: async (chunk) => void chunks.push(Uint8Array.from(chunk)), end: async () => {} },
    text: () => Buffer.concat(chunks).toString(),
  }
}
