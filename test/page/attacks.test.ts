/** What other sites, other programs and broken browsers can do to the page's port: nothing but be refused. */
import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import type { Cluster } from '../../src/cluster/cluster.ts'
import * as refs from '../../src/resources/refs.ts'
import { configMap } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

let cluster: Cluster
let origin = ''
let port = 0
let key = ''

before(async () => {
  cluster = await startCluster({ nodes: 0 })
  const link = new URL(await cluster.page())
  origin = link.origin
  port = Number(link.port)
  key = link.hash.slice(1)
})
after(() => cluster[Symbol.asyncDispose]())

const open = (headers: Record<string, string> = {}, protocols = ['bowsprit-page.v1', `key.${key}`]) =>
  new WebSocket(`${origin.replace('http', 'ws')}/socket`, protocols, { headers: { origin, ...headers } })

const codeOf = (socket: WebSocket) =>
  new Promise<number>((resolve, reject) => {
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    socket.on('open', () => reject(new Error('the socket was opened')))
    socket.on('error', () => {})
  })

const opened = (socket: WebSocket) => new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject))
const closed = (socket: WebSocket) =>
  new Promise<string>((resolve) => socket.once('close', (code, reason) => resolve(`${code} ${String(reason)}`)))

/** What the port answers to raw text. */
const answerTo = (text: string) =>
  new Promise<string>((resolve) => {
    let answer = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })

for (const [what, headers, code] of [
  ['another site', { origin: 'https://evil.example' }, 403],
  ['another port of this machine', { origin: 'http://127.0.0.1:9' }, 403],
  ['a name that was bound to this address', { host: 'evil.example', origin: 'http://evil.example' }, 421],
] as const)
  test(`${what} opens no socket, though it has the key`, async () => assert.equal(await codeOf(open(headers)), code))

test('a wrong key and no key open no socket', async () => {
  assert.equal(await codeOf(open({}, ['bowsprit-page.v1', `key.${'x'.repeat(43)}`])), 401)
  assert.equal(await codeOf(open({}, ['bowsprit-page.v1'])), 401)
})

test('the answer may not be framed, loaded by others, or run what is not its own', async () => {
  const response = await fetch(origin)
  const policy = response.headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "form-action 'none'"])
    assert.ok(policy.includes(part), part)
  assert.equal(response.headers.get('cross-origin-resource-policy'), 'same-origin')
  assert.equal(response.headers.get('access-control-allow-origin'), null)
  assert.equal(response.headers.get('set-cookie'), null)
  assert.ok(!(await response.text()).includes(key))
})

test('a path leads to no file of this machine', async () => {
  for (const path of ['/../../package.json', '/..%2f..%2fpackage.json', '/%2e%2e/package.json', '//etc/passwd', '/page.js/../../x']) {
    const text = await new Promise<string>((resolve, reject) =>
      http
        .get({ host: '127.0.0.1', port, path }, (response) => {
          let all = ''
          response.on('data', (chunk) => {
            all += String(chunk)
          })
          response.on('end', () => resolve(all))
        })
        .on('error', reject),
    )
    assert.ok(/there is no such file|<title>Bowsprit/.test(text), `${path}: ${text.slice(0, 100)}`)
  }
})

test('a target that is no URL is answered, and the cluster goes on', async () => {
  const head = `Host: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
  for (const target of ['//', '//:', '//[', 'http://', 'http://[', '/?/', '/#/', '*', '/\\\\'])
    assert.match(await answerTo(`GET ${target} HTTP/1.1\r\n${head}`), /^HTTP\/1.1 (200|400|404)/, target)
  assert.match(await answerTo(`GET / HTTP/1.1\r\n${head}`), /^HTTP\/1.1 200/)
})

test('two lengths, HTTP/1.0, and a head without an end are refused', async () => {
  const host = `Host: 127.0.0.1:${port}\r\n`
  assert.match(
    await answerTo(`GET / HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    /^HTTP\/1.1 400/,
  )
  assert.match(await answerTo('GET / HTTP/1.0\r\n\r\n'), /^HTTP\/1.1 (505|421)/)
  assert.match(await answerTo(`GET / HTTP/1.1\r\n${host}X: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1.1 431/)
})

for (const [what, message] of [
  ['no JSON', '{'.repeat(1000)],
  ['an unknown type', '{"type":"evil","id":1}'],
  ['a name with a path', '{"type":"object","id":1,"object":{"group":"","version":"v1","resource":"pods","namespace":"..","name":"a/b"}}'],
  ['an object where a text is expected', '{"type":"find","id":1,"text":{}}'],
  ['1 MiB of open braces', '{'.repeat(1024 * 1024)],
  ['a draft without texts', '{"type":"draft","id":1,"draft":{"group":"","version":"v1","resource":"pods","namespace":"","name":"a"}}'],
  ['a fraction as id', '{"type":"kinds","id":0.5}'],
] as const)
  test(`a message that is ${what} closes the socket, with the reason`, async () => {
    const socket = open()
    await opened(socket)
    socket.send(message)
    assert.match(await closed(socket), /^1008 ./)
  })

test('a page that is read-only writes nothing, dry runs neither, whoever has its key', async () => {
  await using other = await startCluster({ nodes: 0 })
  const { origin: at, host, hash } = new URL(await other.page({ readOnly: true }))
  const target = { ...refs.CONFIG_MAPS, namespace: 'default', name: 'kube-root-ca.crt' }
  const draft = { ...target, base: '', text: 'a: b', choices: [], serial: 0 }
  const object = { ...refs.PODS, namespace: 'default', name: 'web' }
  for (const message of [
    { type: 'draft', draft },
    { type: 'save', draft },
    { type: 'try', object, change: 'label node node-1 disk=ssd' },
    { type: 'change', object, change: 'label node node-1 disk=ssd' },
    { type: 'terminal', query: { object, container: '', command: 'shell', size: { width: 80, height: 24 } } },
    { type: 'lab-call', action: { kind: 'fork' } },
    { type: 'lab-call', action: { kind: 'snapshot' } },
    { type: 'bench', draft: { definition: 'crons.example.com', text: '', schema: '', serial: 0 } },
  ]) {
    const socket = new WebSocket(`ws://${host}/socket`, ['bowsprit-page.v1', `key.${hash.slice(1)}`], { headers: { origin: at } })
    await opened(socket)
    socket.send(JSON.stringify({ id: 1, ...message }))
    assert.match(await closed(socket), /^1008 .*read-only/, message.type)
  }
})

test('as another user a browser has the rights of that user, and no lab', async () => {
  const as = (user: string) => open({}, ['bowsprit-page.v1', `key.${key}`, `as.${Buffer.from(user).toString('hex')}`])
  const socket = as('ann')
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  await opened(socket)
  await waitFor(() => messages.some((message) => message.includes('"user":"ann"')))
  socket.send(JSON.stringify({ type: 'object', id: 1, object: { ...refs.CONFIG_MAPS, namespace: 'default', name: 'kube-root-ca.crt' } }))
  await waitFor(() => messages.some((message) => /User \\"ann\\" cannot (list|get)/.test(message)))
  socket.send(JSON.stringify({ type: 'lab-call', id: 2, action: { kind: 'snapshot' } }))
  assert.match(await closed(socket), /^1008 .*no lab/)
  const wrong = open({}, ['bowsprit-page.v1', 'key.wrong', `as.${Buffer.from('ann').toString('hex')}`])
  assert.equal(await codeOf(wrong), 401)
})

test('a message of 6 MiB closes the socket', async () => {
  const socket = open()
  socket.on('error', () => {})
  await opened(socket)
  socket.send('{'.repeat(6 * 1024 * 1024))
  assert.match(await closed(socket), /^1009/)
})

test('10,000 subscriptions close the socket, and the cluster goes on', async () => {
  const socket = open()
  await opened(socket)
  const end = closed(socket)
  for (let id = 0; id < 10_000 && socket.readyState === WebSocket.OPEN; id++) socket.send(JSON.stringify({ type: 'find', id, text: 'a' }))
  assert.match(await end, /^1008 .*32 subscriptions/)
  assert.ok((await cluster.client().list(refs.NAMESPACES)).items.length > 0)
})

test('a 33rd browser is refused', async () => {
  const sockets = Array.from({ length: 32 }, () => open())
  await Promise.all(sockets.map(opened))
  assert.equal(await codeOf(open()), 403)
  for (const socket of sockets) socket.terminate()
  await waitFor(
    () =>
      new Promise<boolean>((resolve) =>
        open()
          .once('open', () => resolve(true))
          .once('error', () => resolve(false)),
      ),
  )
})

test('a browser that does not read costs a megabyte, and gets the latest state when it reads again', async () => {
  const socket = open()
  await opened(socket)
  const target = { ...refs.CONFIG_MAPS, namespace: 'default' }
  const client = cluster.client()
  const long = 'x'.repeat(100_000)
  await client.create(target, configMap('busy', Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`k${i}`, long]))))
  socket.send(JSON.stringify({ type: 'object', id: 1, object: { ...target, name: 'busy' } }))
  socket.pause()
  for (let i = 0; i < 100; i++) await client.patch({ ...target, name: 'busy' }, 'merge', { data: { count: String(i) } })
  // Other messages, such as its events, may follow it at once.
  const latest = new Promise<void>((resolve) => socket.on('message', (data) => String(data).includes('count: \\"99\\"') && resolve()))
  socket.resume()
  await latest
  socket.terminate()
})
