/** exec, attach and port-forward: kubectl 1.30, 1.34 and 1.36, over WebSocket and SPDY, with programs in the container. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type KubectlMinor, kubectlPath } from '../../scripts/clients.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { PODS } from '../../src/resources/refs.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { type ProgramOptions, runProgram } from '../run-program.ts'

const pods = { ...PODS, namespace: 'default' }
const sorted = (text: string) => text.trim().split('\n').sort().join('\n')
const SPDY = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }
const WEB_SOCKET = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'true', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'true' }
/** Each client with its default protocol, and with the other one. */
const CLIENTS: readonly (readonly [how: string, minor: KubectlMinor, environment: Readonly<Record<string, string>>])[] = [
  ['kubectl 1.36', '36', {}],
  ['kubectl 1.36 over SPDY', '36', SPDY],
  ['kubectl 1.34', '34', {}],
  ['kubectl 1.34 over SPDY', '34', SPDY],
  ['kubectl 1.30', '30', {}],
  ['kubectl 1.30 over WebSocket', '30', WEB_SOCKET],
]

describe('streams into a container', () => {
  let cluster: Cluster
  let folder: string
  let env: Record<string, string>

  before(async () => {
    cluster = await startCluster()
    await cluster.listen()
    folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-streams-'))
    writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
    env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder }
    const client = cluster.client()
    const made = [
      pod('box', { spec: { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '86400'] }] } }),
      pod('two', {
        metadata: { labels: { app: 'two' } },
        spec: {
          containers: ['a', 'b'].map((name) => ({
            name,
            image: 'busybox',
            command: ['sh', '-c', `for i in 1 2 3; do echo ${name} $i; done; cat`],
            stdin: true,
          })),
        },
      }),
      pod('talk', { spec: { containers: [{ name: 'main', image: 'busybox', command: ['cat'], stdin: true }] } }),
      pod('again', {
        spec: {
          containers: [
            {
              name: 'main',
              image: 'busybox',
              command: ['sh', '-c', 'if [ -f /v/was ]; then echo second; sleep 86400; fi; touch /v/was; echo first; exit 3'],
              volumeMounts: [{ name: 'v', mountPath: '/v' }],
            },
          ],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      }),
      pod('web', {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'nginx', image: 'nginx', ports: [{ name: 'http', containerPort: 80 }] }] },
      }),
    ]
    for (const one of made) await waitFor(() => client.create(pods, one), { clock: systemClock })
    await client.create({ group: '', version: 'v1', resource: 'services', namespace: 'default' }, service('web', { app: 'web' }))
    for (const { metadata } of made)
      await waitFor(async () => (await client.get({ ...pods, name: metadata.name ?? '' })).status?.phase === 'Running', {
        clock: systemClock,
      })
  })
  after(async () => {
    await cluster[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  for (const [how, minor, environment] of CLIENTS) {
    const kubectl = (args: readonly string[], stdin = '', more: Pick<ProgramOptions, 'onOut' | 'signal'> = {}) =>
      runProgram(kubectlPath(minor), args, { env: { ...env, ...environment }, cwd: folder, stdin, timeoutMs: 30_000, ...more })
    const id = `${minor}${environment === SPDY ? 's' : environment === WEB_SOCKET ? 'w' : ''}`
    const sh = (script: string, stdin?: string) =>
      kubectl(['exec', ...(stdin === undefined ? [] : ['-i']), 'box', '-c', 'main', '--', 'sh', '-c', script], stdin)

    test(`${how}: exec keeps output and errors apart, returns exit codes, and streams a script`, async () => {
      assert.deepEqual(await sh('echo out; echo err >&2; exit 7'), {
        code: 7,
        out: 'out\n',
        err: 'err\ncommand terminated with exit code 7\n',
      })
      const typed = await kubectl(
        ['exec', '-i', 'box', '-c', 'main', '--', 'sh'],
        'echo $((6*7))\nread x\nvalue\necho "got $x"\ncat <<EOF\nhere $x\nEOF\nexit 5\n',
      )
      assert.deepEqual([typed.out, typed.code], ['42\ngot value\nhere value\n', 5])
      const large = randomBytes(3_000_000).toString('base64')
      assert.equal((await sh('sha256sum', large)).out.slice(0, 64), createHash('sha256').update(large).digest('hex'))
      assert.match((await kubectl(['exec', 'two', '--', 'hostname'])).err, /Defaulted container "a" out of: a, b/)
      assert.equal((await kubectl(['exec', '-q', 'svc/web', '--', 'hostname'])).out, 'web\n')
      assert.match((await kubectl(['exec', 'box', '-c', 'nope', '--', 'ls'])).err, /container nope is not valid for pod box/)
    })

    test(`${how}: cp copies files and folders in both directions unchanged, and reports errors`, async () => {
      const here = path.join(folder, `cp-${how.replaceAll(' ', '-')}`)
      mkdirSync(path.join(here, 'd', 'inner'), { recursive: true })
      const large = randomBytes(2_500_001)
      writeFileSync(path.join(here, 'd', 'inner', 'large'), large)
      writeFileSync(path.join(here, 'd', "o'dd näme $x"), 'odd')
      writeFileSync(path.join(here, 'd', 'empty'), '')
      symlinkSync('empty', path.join(here, 'd', 'link'))
      const target = `/tmp/${path.basename(here)}`
      assert.equal((await kubectl(['cp', path.join(here, 'd'), `box:${target}`, '-c', 'main'])).code, 0)
      assert.equal((await sh(`cd ${target}; cat o*; readlink link; wc -c < inner/large`)).out, `oddempty\n${large.length}\n`)
      assert.equal((await kubectl(['cp', `box:${target}`, path.join(here, 'back')])).code, 0)
      assert.ok(readFileSync(path.join(here, 'back', 'inner', 'large')).equals(large))
      assert.equal(readFileSync(path.join(here, 'back', "o'dd näme $x"), 'utf8'), 'odd')
      const absent = await kubectl(['cp', 'box:/no/such', path.join(here, 'x')])
      // kubectl does not always wait for tar's error output.
      assert.deepEqual([absent.code, /No such file or directory|exit code 1/.test(absent.err)], [1, true], absent.err)
      const nowhere = await kubectl(['cp', path.join(here, 'd', 'empty'), 'box:/no/such/folder/x'])
      assert.deepEqual([nowhere.code, /No such file or directory|exit code 1/.test(nowhere.err)], [1, true], nowhere.err)
      assert.equal(readlinkSync(path.join(here, 'd', 'link')), 'empty')
    })

    test(`${how}: logs by all their options`, async () => {
      const logs = async (...args: string[]) => (await kubectl(['logs', ...args])).out
      assert.equal(await logs('two', '-c', 'a'), 'a 1\na 2\na 3\n')
      assert.equal(await logs('two', '-c', 'a', '--tail', '1'), 'a 3\n')
      assert.equal(await logs('two', '-c', 'a', '--limit-bytes', '6'), 'a 1\na ')
      assert.equal(await logs('two', '-c', 'a', '--since-time', '2200-01-01T00:00:00Z'), '')
      assert.match(await logs('two', '-c', 'b', '--since', '1h', '--timestamps'), /^(\d{4}-\d\d-\d\dT\S+Z b \d\n){3}$/)
      assert.equal(sorted(await logs('two', '--all-containers', '--prefix', '--tail', '1')), '[pod/two/a] a 3\n[pod/two/b] b 3')
      assert.equal(sorted(await logs('-l', 'app=two', '--all-containers', '--tail', '2')), 'a 2\na 3\nb 2\nb 3')
      assert.equal(await logs('again', '--previous'), 'first\n')
      assert.equal(await logs('again'), 'second\n')
      assert.match((await kubectl(['logs', 'box', '--previous'])).err, /previous terminated container "main" in pod "box" not found/)
      assert.match(
        (await kubectl(['logs', '-l', 'app=two', '--all-containers', '-f', '--max-log-requests', '1'])).err,
        /maximum allowed concurrency is 1/,
      )
    })

    test(`${how}: logs -f shows what is printed from then on, and ends with the container`, async () => {
      const [before, said] = [`before ${how}\n`, `followed by ${how}\n`]
      const stop = new AbortController()
      const { signal } = stop
      const children: Promise<unknown>[] = []
      const { promise: typed, resolve: isThere } = Promise.withResolvers<void>()
      children.push(kubectl(['attach', '-i', 'talk'], before, { signal, onOut: (out) => out.includes(before) && isThere() }))
      await Promise.race([typed, ...children])
      const { promise: shown, resolve } = Promise.withResolvers<void>()
      const follower = kubectl(['logs', '-f', 'talk', '--tail=1'], '', {
        signal,
        onOut: (out) => {
          if (out === before + said) resolve()
          else if (out === before) children.push(kubectl(['attach', '-i', 'talk'], said, { signal }))
        },
      })
      await Promise.race([shown, follower])
      stop.abort()
      await Promise.all([follower, ...children].map((child) => assert.rejects(child, { name: 'AbortError' })))
      const name = `ends-${id}`
      const script = 'for i in 1 2 3; do echo $i; sleep 0.2; done'
      assert.equal((await kubectl(['run', name, '--restart=Never', '--image=busybox', '--', 'sh', '-c', script])).code, 0)
      await kubectl(['wait', '--for=jsonpath={.status.containerStatuses}', `pod/${name}`])
      await waitFor(async () => (await kubectl(['logs', name])).code === 0, { clock: systemClock })
      assert.deepEqual(await kubectl(['logs', '-f', name]), { code: 0, out: '1\n2\n3\n', err: '' })
    })

    test(`${how}: attach passes input to a running program, and its output back`, async () => {
      const said = `hello from ${how}\n`
      const stop = new AbortController()
      const seen = Promise.withResolvers<void>()
      const child = kubectl(['attach', '-i', 'talk'], said, { signal: stop.signal, onOut: (out) => out.includes(said) && seen.resolve() })
      await seen.promise
      stop.abort()
      await assert.rejects(child, { name: 'AbortError' })
    })

    test(`${how}: run --rm with a script on standard input, and its exit code`, async () => {
      const name = `run-${id}`
      const run = await kubectl(
        ['run', name, '--rm', '-i', '-q', '--restart=Never', '--image=busybox', '--', 'sh'],
        'echo from $(hostname)\nexit 3\n',
      )
      assert.deepEqual([run.code, run.out.includes(`from ${name}\n`)], [3, true])
      assert.match((await kubectl(['get', 'pod', name])).err, /NotFound/)
    })

    test(`${how}: debug adds a container that is written to, and one that looks at a copy`, async () => {
      const name = `dbg-${id}`
      const debug = await kubectl(
        ['debug', '-q', '-i', 'box', '--image=busybox', '-c', name, '--', 'sh'],
        'echo $((40+2)) in $(hostname)\nexit\n',
      )
      assert.match(debug.out, /42 in box\n/, debug.err)
      assert.equal((await kubectl(['logs', 'box', '-c', name])).out, '42 in box\n')
      assert.equal((await kubectl(['debug', 'box', '--image=busybox', '--copy-to', name, '--attach=false', '--', 'sleep', '1000'])).code, 0)
      await kubectl(['wait', '--for=condition=Ready', `pod/${name}`])
      assert.equal((await kubectl(['exec', '-q', name, '--', 'hostname'])).out, `${name}\n`)
      await kubectl(['delete', 'pod', name, '--now'])
    })

    test(`${how}: port-forward to a service's named port, and to a port without a listener`, async () => {
      const requested = async (target: string, port: string) => {
        let local = 0
        const listening = Promise.withResolvers<void>()
        const stop = new AbortController()
        const onOut = (out: string) => {
          const [, found] = out.match(/127\.0\.0\.1:(\d+) ->/) ?? []
          if (found === undefined) return
          local = Number(found)
          listening.resolve()
        }
        const child = kubectl(['port-forward', target, `:${port}`], '', { onOut, signal: stop.signal })
        await listening.promise
        const answer = await new Promise<string>((resolve) => {
          let text = ''
          const socket = net.connect(local, '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'))
          socket
            .on('data', (bytes) => {
              text += bytes
            })
            .on('close', () => resolve(text))
            .on('error', () => resolve(text))
        })
        stop.abort()
        await child.catch(() => {})
        return answer
      }
      assert.match(await requested('svc/web', '80'), /200 OK[\s\S]*Welcome to nginx!/)
      assert.equal(await requested('pod/web', '81'), '')
    })
  }
})
