import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ByteSink, ProcessStreams } from '../../machinery/streams.ts'
import type { ContainerSpec, PodRef } from './container-spec.ts'
import { type ContainerStatus, type Runtime, type RuntimeEvent, recover } from './runtime.ts'
import { RuntimeError } from './runtime-error.ts'

/** A runtime under test, and the commands that its containers need for the suite. */
export interface RuntimeUnderTest extends AsyncDisposable {
  readonly runtime: Runtime
  /** An image that exists. */
  readonly image: string
  /** Prints `hello` and exits with 0. */
  readonly greets: readonly string[]
  /** Exits with 3. */
  readonly fails: readonly string[]
  /** Runs until SIGTERM, and then ends. */
  readonly lasts: readonly string[]
  /** Runs until SIGKILL; prints `ready` once it ignores SIGTERM. */
  readonly stays: readonly string[]
  /** For exec: prints `hi` and exits with 0; exits with 7; takes longer than the test may last. */
  readonly says: readonly string[]
  readonly refuses: readonly string[]
  readonly sleeps: readonly string[]
  /** Lets time pass until the condition holds. */
  readonly until: (what: () => Promise<boolean>) => Promise<void>
  /** Awaits a promise while time passes. */
  readonly settle: <T>(promise: Promise<T>) => Promise<T>
}

const never = new AbortController().signal

/** The tests that every runtime has to pass. */
export function runtimeContract(name: string, open: () => Promise<RuntimeUnderTest>): void {
  const it = (rule: string, body: (under: RuntimeUnderTest) => Promise<void>) =>
    test(`${name}: ${rule}`, async () => {
      await using under = await open()
      await body(under)
    })

  it('a pod begins with a sandbox, which has an address and is listed until it is removed', async ({ runtime }) => {
    const id = await sandbox(runtime, 'a')
    const [status] = await runtime.sandboxes({ podUid: 'a' }, never)
    assert.equal(status?.id, id)
    assert.equal(status.state, 'ready')
    assert.equal(status.ips.length, 1)
    assert.deepEqual(status.pod, podOf('a'))
    await runtime.stopSandbox(id, never)
    assert.equal((await runtime.sandboxes({ podUid: 'a' }, never))[0]?.state, 'not-ready')
    await runtime.removeSandbox(id, never)
    assert.deepEqual(await runtime.sandboxes({ podUid: 'a' }, never), [])
  })

  it('stopping and removing twice is harmless, also of what never was', async ({ runtime }) => {
    const id = await sandbox(runtime, 'a')
    for (const target of [id, id, 'nothing']) await runtime.stopSandbox(target, never)
    for (const target of [id, id, 'nothing']) await runtime.removeSandbox(target, never)
    await runtime.stopContainer('nothing', 0, never)
    await runtime.removeContainer('nothing', never)
  })

  it('an image that was pulled is there until it is removed', async ({ runtime, image }) => {
    const pulled = await runtime.pullImage({ image }, never)
    assert.equal((await runtime.imageStatus(image, never))?.id, pulled.id)
    assert.ok((await runtime.images(never)).some((i) => i.id === pulled.id))
    await runtime.removeImage(image, never)
    assert.ok(!(await runtime.images(never)).some((i) => i.name === pulled.name))
  })

  it('a container is created, runs, ends, and reports its exit', async (under) => {
    const { runtime } = under
    const sandboxId = await sandbox(runtime, 'a')
    const id = await runtime.createContainer(sandboxId, await spec(under, 'a', 'main', { command: under.fails }), never)
    assert.equal((await status(runtime, id)).state, 'created')
    await runtime.startContainer(id, never)
    await under.until(async () => (await status(runtime, id)).state === 'exited')
    const ended = await status(runtime, id)
    assert.equal(ended.exitCode, 3)
    assert.ok(ended.startedAtMs !== undefined && ended.finishedAtMs !== undefined && ended.startedAtMs <= ended.finishedAtMs)
    assert.deepEqual([ended.name, ended.attempt, ended.sandboxId, ended.pod], ['main', 0, sandboxId, podOf('a')])
    assert.equal(ended.annotations.note, 'kept')
  })

  it('a container gets SIGTERM, and SIGKILL when its grace period is over', async (under) => {
    const { runtime } = under
    const requested = await running(under, 'a', 'asked', under.lasts)
    await under.settle(runtime.stopContainer(requested, 60_000, never))
    assert.equal((await status(runtime, requested)).state, 'exited')
    const killed = await running(under, 'a', 'killed', under.stays)
    await under.settle(runtime.stopContainer(killed, 100, never))
    assert.equal((await status(runtime, killed)).exitCode, 137)
    await runtime.stopContainer(killed, 100, never)
  })

  it('a second stop with less grace shortens the first', async (under) => {
    const { runtime } = under
    const id = await running(under, 'a', 'main', under.stays)
    const long = runtime.stopContainer(id, 3_600_000, never)
    await under.settle(runtime.stopContainer(id, 50, never))
    await under.settle(long)
    assert.equal((await status(runtime, id)).exitCode, 137)
  })

  it('an aborted signal ends the wait for a stop, not the stop', async (under) => {
    const { runtime } = under
    const id = await running(under, 'a', 'main', under.stays)
    const left = new AbortController()
    const stop = runtime.stopContainer(id, 300, left.signal)
    left.abort(new Error('left'))
    await assert.rejects(stop, /left/)
    await under.until(async () => (await status(runtime, id)).state === 'exited')
  })

  it('stopping a sandbox ends what runs in it', async (under) => {
    const { runtime } = under
    const id = await running(under, 'a', 'main', under.stays)
    const { sandboxId } = await status(runtime, id)
    await under.settle(runtime.stopSandbox(sandboxId, never))
    await under.until(async () => (await status(runtime, id)).state === 'exited')
  })

  it('attempts of a container coexist, newest first; the same attempt twice is refused', async (under) => {
    const { runtime } = under
    const sandboxId = await sandbox(runtime, 'a')
    const create = async (attempt: number) =>
      runtime.createContainer(sandboxId, await spec(under, 'a', 'main', { attempt, command: under.fails }), never)
    const first = await create(0)
    await runtime.startContainer(first, never)
    await under.until(async () => (await status(runtime, first)).state === 'exited')
    const second = await create(1)
    const ids = (await runtime.containers({ podUid: 'a' }, never)).map((c) => c.id)
    assert.deepEqual(ids, [second, first])
    await assert.rejects(create(1), (e) => e instanceof RuntimeError && e.code === 'already-exists')
    await runtime.removeContainer(first, never)
    assert.deepEqual(
      (await runtime.containers({ podUid: 'a' }, never)).map((c) => c.id),
      [second],
    )
  })

  it('a container can only be created in a sandbox that is ready', async (under) => {
    const { runtime } = under
    const sandboxId = await sandbox(runtime, 'a')
    await runtime.stopSandbox(sandboxId, never)
    const made = await spec(under, 'a', 'main', { command: under.lasts })
    await assert.rejects(runtime.createContainer(sandboxId, made, never), (e) => e instanceof RuntimeError && e.code === 'not-found')
  })

  it('what was printed can be read, the last lines alone too, and a follower ends with the container', async (under) => {
    const { runtime } = under
    const id = await running(under, 'a', 'main', under.greets)
    await under.until(async () => (await status(runtime, id)).state === 'exited')
    assert.equal(await textOf(await runtime.logs(id, {}, never)), 'hello\n')
    assert.equal(await textOf(await runtime.logs(id, { tailLines: 0 }, never)), '')
    assert.equal(await textOf(await runtime.logs(id, { follow: true }, never)), 'hello\n')
    assert.match((await textOf(await runtime.logs(id, { timestamps: true }, never))) ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z hello\n$/)
    await runtime.removeContainer(id, never)
    assert.equal(await runtime.logs(id, {}, never), undefined)
  })

  it('a follower leaves when its signal is aborted', async (under) => {
    const id = await running(under, 'a', 'main', under.lasts)
    const leave = new AbortController()
    const text = textOf(await under.runtime.logs(id, { follow: true, tailLines: 0 }, leave.signal))
    leave.abort()
    assert.equal(await text, '')
  })

  it('a command runs in a container to its end, or to its limit', async (under) => {
    const { runtime } = under
    const id = await running(under, 'a', 'main', under.lasts)
    const said = await under.settle(runtime.execSync(id, under.says, 0, never))
    assert.deepEqual([said.exitCode, said.stdout], [0, 'hi\n'])
    assert.equal((await under.settle(runtime.execSync(id, under.refuses, 0, never))).exitCode, 7)
    await assert.rejects(
      under.settle(runtime.execSync(id, under.sleeps, 200, never)),
      (e) => e instanceof RuntimeError && e.code === 'deadline',
    )
    await assert.rejects(runtime.execSync('nothing', under.says, 0, never), (e) => e instanceof RuntimeError && e.code === 'not-found')
  })

  it('a command speaks over streams', async (under) => {
    const id = await running(under, 'a', 'main', under.lasts)
    const out = sink()
    const streams: ProcessStreams = { stdout: out, stderr: sink(), tty: false }
    assert.deepEqual(await under.settle(under.runtime.exec(id, under.says, streams, never)), { exitCode: 0 })
    assert.equal(out.text(), 'hi\n')
  })

  it('container events carry the pod of their container', async (under) => {
    const { runtime } = under
    const reported: RuntimeEvent[] = []
    const stop = new AbortController()
    const telling = runtime.events((e) => reported.push(e), stop.signal)
    const id = await running(under, 'a', 'main', under.fails)
    await under.until(async () => reported.some((e) => e.kind === 'died'))
    await runtime.removeContainer(id, never)
    await under.until(async () => reported.some((e) => e.kind === 'removed'))
    const kinds = reported.filter((e) => e.containerId === id).map((e) => e.kind)
    assert.deepEqual(kinds, ['created', 'started', 'died', 'removed'])
    assert.ok(reported.every((e) => e.podUid === 'a'))
    stop.abort()
    await telling
  })

  it('a later agent finds everything that runs, by pod', async (under) => {
    const { runtime } = under
    const one = await running(under, 'a', 'main', under.lasts)
    const two = await running(under, 'b', 'main', under.lasts)
    const pods = await recover(runtime, never)
    assert.deepEqual([...pods.keys()].sort(), ['a', 'b'])
    assert.deepEqual([pods.get('a')?.containers.map((c) => c.id), pods.get('b')?.containers.map((c) => c.id)], [[one], [two]])
    assert.equal(pods.get('a')?.sandboxes.length, 1)
  })

  it('amounts of a running container can be changed', async (under) => {
    const id = await running(under, 'a', 'main', under.lasts)
    await under.runtime.updateResources(id, { cpuShares: 512 }, never)
    assert.equal((await status(under.runtime, id)).resources.cpuShares, 512)
    const [stats] = await under.runtime.stats({ podUid: 'a' }, never)
    assert.equal(stats?.containerId, id)
  })

  it('it reports that it is ready', async ({ runtime }) => {
    const { ready, networkReady } = await runtime.status(never)
    assert.deepEqual([ready, networkReady], [true, true])
  })
}

const podOf = (uid: string): PodRef => ({ uid, name: `pod-${uid}`, namespace: 'default' })

function sandbox(runtime: Runtime, uid: string): Promise<string> {
  const pod = podOf(uid)
  return runtime.runSandbox(
    {
      pod,
      attempt: 0,
      hostname: pod.name,
      hostNetwork: false,
      dns: { servers: [], searches: [], options: [] },
      runtimeHandler: '',
      labels: {},
      annotations: {},
    },
    never,
  )
}

async function spec(
  under: RuntimeUnderTest,
  uid: string,
  name: string,
  more: { readonly attempt?: number; readonly command: readonly string[] },
): Promise<ContainerSpec> {
  const image = await under.runtime.pullImage({ image: under.image }, never)
  return {
    pod: podOf(uid),
    name,
    attempt: 0,
    image: under.image,
    imageId: image.id,
    args: [],
    environment: [{ name: 'GREETING', value: 'hello' }],
    mounts: [],
    devices: [],
    cdiDevices: [],
    labels: {},
    annotations: { note: 'kept' },
    resources: {},
    user: { supplementalGroups: [] },
    stdin: false,
    tty: false,
    ...more,
  }
}

/** A running container in the pod's sandbox, which is created if necessary. */
async function running(under: RuntimeUnderTest, uid: string, name: string, command: readonly string[]): Promise<string> {
  const { runtime } = under
  const sandboxId = (await runtime.sandboxes({ podUid: uid }, never))[0]?.id ?? (await sandbox(runtime, uid))
  const id = await runtime.createContainer(sandboxId, await spec(under, uid, name, { command }), never)
  await runtime.startContainer(id, never)
  if (command === under.stays) await under.until(async () => (await textOf(await runtime.logs(id, {}, never))) === 'ready\n')
  return id
}

async function status(runtime: Runtime, id: string): Promise<ContainerStatus> {
  const found = (await runtime.containers({}, never)).find((c) => c.id === id)
  assert.ok(found, `container ${id} is listed`)
  return found
}

async function textOf(source: AsyncIterable<string> | undefined): Promise<string | undefined> {
  if (source === undefined) return undefined
  let text = ''
  for await (const piece of source) text += piece
  return text
}

function sink(): ByteSink & { text(): string } {
  const chunks: Uint8Array[] = []
  return {
    write: async (chunk) => {
      chunks.push(chunk)
    },
    end: async () => {},
    text: () => Buffer.concat(chunks).toString(),
  }
}
