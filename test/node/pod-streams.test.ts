/**
 * exec, attach and port-forward: by kubectl over WebSocket and SPDY, by the SDK over HTTPS and inside the process. The test simulates the
 * process in the container.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { WebSocket } from 'ws'
import { kubectlPath } from '../../scripts/clients.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { notFound } from '../../src/machinery/status-error.ts'
import type { ByteSource, ProcessStreams } from '../../src/machinery/streams.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfig } from '../../src/sdk/client/kubeconfig.ts'
import type { NodeStreams } from '../../src/server/actions/node-streams.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { runProgram } from '../run-program.ts'

const bytes = (text: string) => Buffer.from(text)

async function textOf(source: ByteSource): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Commands of the simulated container. */
const COMMANDS: Readonly<Record<string, (streams: ProcessStreams, args: readonly string[]) => Promise<number>>> = {
  async echo(streams, args) {
    await streams.stdout?.write(bytes(`${args.join(' ')}\n`))
    await streams.stderr?.write(bytes('to stderr\n'))
    return 0
  },
  async cat({ stdin, stdout }) {
    for await (const chunk of stdin ?? []) await stdout?.write(chunk)
    return 0
  },
  async 'exit-7'() {
    return 7
  },
  async size({ resizes, stdout }) {
    for await (const { width, height } of resizes ?? []) {
      await stdout?.write(bytes(`${width}x${height}\n`))
      if (width > 100) return 0
    }
    return 1
  },
}

const PLAYED: NodeStreams = {
  async exec({ container, command: [name = '', ...args] }) {
    if (container === 'not-started') throw notFound({ group: '', resource: 'containers' }, container)
    const program = COMMANDS[name]
    return async (streams) => {
      if (program === undefined) throw new Error(`exec: ${JSON.stringify(name)}: executable file not found in $PATH`)
      return { exitCode: await program(streams, args) }
    }
  },
  async attach() {
    return async (streams) => {
      await streams.stdout?.write(bytes('attached\n'))
      return { exitCode: 0 }
    }
  },
  async portForward() {
    return async (port, { source, sink }) => {
      if (port !== 80) throw new Error(`error forwarding port ${port}: connection refused`)
      for await (const chunk of source) await sink.write(chunk)
    }
  },
}

describe('streams into containers', () => {
  let cluster: Cluster
  let folder: string
  let env: Record<string, string>

  before(async () => {
    cluster = await startCluster({}, { streams: PLAYED })
    await cluster.listen()
    folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-streams-'))
    writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
    env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder }
    const client = cluster.client()
    const target = { ...PODS, namespace: 'default' }
    await client.create(target, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one' },
      spec: {
        containers: [
          { name: 'main', image: 'app' },
          { name: 'not-started', image: 'app' },
        ],
      },
    })
    for await (const events of client.watch(target, { fieldSelector: 'metadata.name=one' })) {
      if (events.some((e) => e.type !== 'BOOKMARK' && e.object.status?.phase === 'Running')) break
    }
  })
  after(async () => {
    await cluster[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  for (const [how, minor, more] of [
    ['WebSocket', '36', {}],
    ['SPDY', '36', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
    ['kubectl 1.34', '34', {}],
    ['kubectl 1.30', '30', {}],
  ] as const) {
    const kubectl = (args: readonly string[], stdin = '') =>
      runProgram(kubectlPath(minor), args, { env: { ...env, ...more }, cwd: folder, stdin })

    test(`kubectl exec over ${how}: output, exit codes, stdin of any size`, async () => {
      const echoed = await kubectl(['exec', 'one', '-c', 'main', '--', 'echo', 'a', 'b'])
      assert.deepEqual([echoed.code, echoed.out, echoed.err], [0, 'a b\n', 'to stderr\n'])
      const failed = await kubectl(['exec', 'one', '-c', 'main', '--', 'exit-7'])
      assert.deepEqual([failed.code, failed.err], [7, 'command terminated with exit code 7\n'])
      const big = randomBytes(300_000).toString('base64')
      const cat = await kubectl(['exec', '-i', 'one', '-c', 'main', '--', 'cat'], big)
      assert.equal(cat.code, 0, cat.err)
      assert.equal(cat.out, big)
      const missing = await kubectl(['exec', 'one', '-c', 'main', '--', 'nope'])
      assert.equal(missing.code, 1)
      assert.match(missing.err, /executable file not found in \$PATH/)
      const early = await kubectl(['exec', 'one', '-c', 'not-started', '--', 'echo'])
      assert.match(early.err, /containers "not-started" not found/)
    })

    test(`kubectl attach over ${how}`, async () => {
      const attached = await kubectl(['attach', 'one', '-c', 'main'])
      assert.deepEqual([attached.code, attached.out], [0, 'attached\n'], attached.err)
    })

    test(`kubectl port-forward over ${how}: concurrent connections, equal bytes, a refused port reported`, async () => {
      const child = spawn(kubectlPath(minor), ['port-forward', 'one', ':80', ':81'], {
        env: { ...process.env, ...env, ...more },
        cwd: folder,
      })
      let out = ''
      let err = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text
      })
      try {
        await new Promise<void>((resolve, reject) => {
          child.stdout.setEncoding('utf8').on('data', (text: string) => {
            out += text
            if (/-> 81\n/.test(out)) resolve()
          })
          child.on('close', () => reject(new Error(err)))
        })
        const [echo = 0, refused = 0] = [80, 81].map((to) => Number(new RegExp(`127.0.0.1:(\\d+) -> ${to}`).exec(out)?.[1]))
        await Promise.all([1, 200_000, 3_000_000].map((size) => echoes(echo, randomBytes(size))))
        await ended(refused)
        assert.match(err, /error forwarding port 81: connection refused/)
      } finally {
        child.kill('SIGKILL')
      }
    })
  }

  const transports: readonly [string, () => Promise<{ client: Client } & AsyncDisposable>][] = [
    ['inside the process', async () => ({ client: cluster.client(), [Symbol.asyncDispose]: async () => {} })],
    [
      'over HTTPS',
      async () => {
        const transport = httpsTransport(await loadKubeconfig(cluster.kubeconfig()), { clock: systemClock })
        return { client: createClient(transport), [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() }
      },
    ],
  ]
  for (const [where, open] of transports) {
    test(`the SDK ${where}: exec, attach, resizes, port-forward, logs`, async () => {
      await using opened = await open()
      const { client } = opened
      const pod = { namespace: 'default', name: 'one' }
      const container = 'main'
      await using echo = await client.exec(pod, ['echo', 'x'], { container })
      assert.deepEqual(await Promise.all([textOf(echo.stdout), textOf(echo.stderr), echo.exit]), ['x\n', 'to stderr\n', { exitCode: 0 }])
      await using seven = await client.exec(pod, ['exit-7'], { container })
      assert.deepEqual(await seven.exit, { exitCode: 7 })
      await using nope = await client.exec(pod, ['nope'], { container })
      await assert.rejects(nope.exit, /executable file not found/)
      await using cat = await client.exec(pod, ['cat'], { container, stdin: true })
      await cat.stdin.write(bytes('typed'))
      await cat.stdin.end()
      assert.equal(await textOf(cat.stdout), 'typed')
      await using sized = await client.exec(pod, ['size'], { container, tty: true })
      sized.resize({ width: 80, height: 24 })
      const lines = sized.stdout[Symbol.asyncIterator]()
      assert.equal(String(Buffer.from((await lines.next()).value ?? '')), '80x24\n')
      sized.resize({ width: 120, height: 40 })
      assert.equal(String(Buffer.from((await lines.next()).value ?? '')), '120x40\n')
      await using attached = await client.attach(pod, { container })
      assert.equal(await textOf(attached.stdout), 'attached\n')
      await using ports = await client.portForward(pod)
      const connection = await ports.open(80)
      await connection.sink.write(bytes('ping'))
      for await (const chunk of connection.source) {
        assert.equal(Buffer.from(chunk).toString(), 'ping')
        break
      }
      const refused = await ports.open(81)
      await assert.rejects(textOf(refused.source), /connection refused/)
      await assert.rejects(client.exec(pod, ['echo'], { container: 'none' }), /container none is not valid for pod one/)
      await assert.rejects(client.exec({ ...pod, name: 'two' }, ['echo']), /pods "two" not found/)
      await assert.rejects(client.logs({ ...pod, name: 'two' }), /pods "two" not found/)
      assert.equal(typeof (await textOf(await client.logs(pod, { container }))), 'string')
    })
  }

  test('a client that leaves ends the process', async () => {
    const client = cluster.client()
    const cat = await client.exec({ namespace: 'default', name: 'one' }, ['cat'], { container: 'main', stdin: true })
    await cat[Symbol.asyncDispose]()
    await assert.rejects(cat.exit, /the client has gone/)
  })

  test('the right to get is not enough to run commands over a WebSocket', async () => {
    const { server, ca, cert, key } = await loadKubeconfig(cluster.kubeconfig())
    const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespace: 'default' }
    const role = (verbs: string[]) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'peeks' },
      rules: [{ apiGroups: [''], resources: ['pods/exec', 'pods/portforward'], verbs }],
    })
    const roles = { ...rbac, resource: 'roles' }
    await cluster.client().create(roles, role(['get']))
    await cluster.client().create(
      { ...rbac, resource: 'rolebindings' },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'peeks' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'peeks' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'peeker' }],
      },
    )
    const dial = (subresource: string, protocol: string) =>
      new Promise<string>((resolve) => {
        const url = `${server.replace('https', 'wss')}/api/v1/namespaces/default/pods/one/${subresource}`
        const headers = { 'impersonate-user': 'peeker' }
        const ws = new WebSocket(url, [protocol], { headers, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) })
        ws.on('open', () => {
          ws.close()
          resolve('101')
        })
        ws.on('unexpected-response', (_, r) => resolve(String(r.statusCode)))
        ws.on('error', () => {})
      })
    const exec = 'exec?container=main&stdout=1&command=echo'
    assert.equal(await dial(exec, 'v5.channel.k8s.io'), '403')
    assert.equal(await dial('portforward?ports=80', 'v4.channel.k8s.io'), '403')
    await cluster.client().update({ ...roles, name: 'peeks' }, role(['get', 'create']))
    assert.equal(await dial(exec, 'v5.channel.k8s.io'), '101')
  })

  test('a request without an upgrade, or with an unknown protocol, is refused as in Kubernetes', async () => {
    const { server, ca, cert, key } = await loadKubeconfig(cluster.kubeconfig())
    const url = `${server.replace('https', 'wss')}/api/v1/namespaces/default/pods/one/exec?container=main&stdout=1&command=echo`
    const answer = (protocols: string[], to = url) =>
      new Promise<string>((resolve) => {
        const ws = new WebSocket(to, protocols, { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) })
        ws.on('open', () => {
          ws.close()
          resolve(`101 ${ws.protocol}`)
        })
        ws.on('unexpected-response', (_, r) => resolve(String(r.statusCode)))
        ws.on('error', () => {})
      })
    assert.equal(await answer(['v3.channel.k8s.io']), '403')
    assert.equal(await answer(['nonsense', 'v4.channel.k8s.io']), '101 v4.channel.k8s.io')
    assert.equal(await answer(['v5.channel.k8s.io', 'v4.channel.k8s.io']), '101 v5.channel.k8s.io')
    assert.equal(await answer(['v4.channel.k8s.io'], url.replace('&command=echo', '')), '400')
    assert.equal(await answer(['v4.channel.k8s.io'], url.replace('&stdout=1', '&stdout=false&stderr=false')), '400')
  })
})

/** Sends bytes to an echo behind a local port, and reads them back. */
async function echoes(port: number, sent: Buffer): Promise<void> {
  const socket = net.connect(port, '127.0.0.1')
  const hash = createHash('sha256')
  let left = sent.length
  socket.write(sent)
  for await (const chunk of socket) {
    hash.update(chunk)
    left -= (chunk as Buffer).length
    if (left <= 0) break
  }
  socket.destroy()
  assert.equal(hash.digest('hex'), createHash('sha256').update(sent).digest('hex'))
}

/** Resolves when the other side closes a connection. */
function ended(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.on('data', () => {})
    socket.write('x')
  })
}
