import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { jsonToProtobuf, protobufToJson } from '../../src/apiserver/handlers/body/protobuf.ts'
import { messageOf } from '../../src/base/message-of.ts'
import { type Json, type JsonObject, parseApiVersion } from '../../src/machinery/object.ts'
import { decodeWatchEvent, encodeWatchFrame } from '../../src/machinery/protobuf/envelope.ts'
import { decodeObject } from '../../src/machinery/schema/decode.ts'
import { loadKubeconfigFile } from '../../src/sdk/client/kubeconfig.ts'
import { kubernetesKinds as kinds } from '../../src/server/kubernetes-kinds.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'

/**
 * Stands before a server, so that a program that reads and writes JSON can compare protobuf: an answer in protobuf becomes the JSON of its
 * fields, and the JSON of a request that says it is protobuf becomes that. An answer whose bytes our encoder would not write from that
 * JSON says so in a member `protobuf`, so that two answers with the same JSON had the same bytes. All else passes unchanged.
 */
export class JsonProxy implements AsyncDisposable {
  readonly #server: http.Server

  /** Before the server of a kubeconfig; writes a kubeconfig for the proxy, which has the credentials itself. */
  static async start(kubeconfig: string, { kubeconfigTo }: { readonly kubeconfigTo: string }): Promise<JsonProxy> {
    const { server, ca, cert, key, token, insecureSkipTlsVerify = false } = await loadKubeconfigFile(kubeconfig)
    const agent = new https.Agent({ keepAlive: true, maxSockets: 64, ca, cert, key, rejectUnauthorized: !insecureSkipTlsVerify })
    const credentials = typeof token === 'string' ? { authorization: `Bearer ${token}` } : {}
    const proxy = http.createServer((request, response) => {
      forward(request, response, { server, agent, credentials }).catch((error: unknown) => response.destroy(error as Error))
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    writeFileSync(kubeconfigTo, JSON.stringify({ clusters: [{ name: 'c', cluster: { server: url } }] }))
    return new JsonProxy(proxy)
  }

  private constructor(server: http.Server) {
    this.#server = server
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

interface Target {
  readonly server: string
  readonly agent: https.Agent
  readonly credentials: OutgoingHttpHeaders
}

async function forward(request: IncomingMessage, response: ServerResponse, { server, agent, credentials }: Target): Promise<void> {
  const sent = await wholeOf(request)
  const body = request.headers['content-type'] === PROTOBUF ? requestBody(sent) : sent
  const { host: _, 'transfer-encoding': __, ...given } = request.headers
  const headers = { ...given, ...credentials, ...(sent.length > 0 && { 'content-length': body.length }) }
  // The path as it came: a URL would resolve its dots.
  const { hostname, port } = new URL(server)
  const onward = https.request({ hostname, port, path: request.url, method: request.method, agent, headers })
  response.on('close', () => onward.destroy())
  onward.end(body)
  const [answer] = (await once(onward, 'response')) as [IncomingMessage]
  const { 'content-length': ___, 'transfer-encoding': ____, ...answered } = answer.headers
  const type = answered['content-type'] ?? ''
  if (!type.startsWith(PROTOBUF)) {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
    return
  }
  response.writeHead(answer.statusCode ?? 502, answered)
  response.flushHeaders()
  if (type.includes('stream=watch')) for await (const event of eventsOf(answer)) response.write(`${JSON.stringify(event, plain)}\n`)
  else {
    const whole = await wholeOf(answer)
    if (whole.length > 0) response.write(JSON.stringify(shown(whole), plain))
  }
  response.end()
}

async function wholeOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

/** Numbers beyond 2^53 as texts: both servers' alike. */
const plain = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** A body in protobuf; what is no object of a known kind stays what it is, a body that cannot be read. */
function requestBody(sent: Buffer): Buffer {
  try {
    const json = JSON.parse(sent.toString()) as JsonObject
    const { group, version } = parseApiVersion(String(json.apiVersion)) ?? { group: '', version: '' }
    const kind = String(json.kind)
    const schema = kinds.has(group, version, kind)
      ? kinds.schema(group, version, kind)
      : kinds.byOpenapiName(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`)
    if (schema === undefined) return sent
    return jsonToProtobuf(kinds, { ...decodeObject(schema, json).object, apiVersion: json.apiVersion ?? null, kind })
  } catch {
    return sent
  }
}

/** The JSON of an object in protobuf. */
function shown(bytes: Buffer): Json {
  try {
    const json = protobufToJson(kinds, bytes)
    return jsonToProtobuf(kinds, json).equals(bytes) ? json : { ...json, protobuf: 'other bytes than those of our encoder' }
  } catch (error) {
    return { protobuf: messageOf(error) }
  }
}

/** The events of a watch: frames with four bytes of length. */
async function* eventsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Json> {
  let rest = Buffer.alloc(0)
  for await (const part of stream) {
    rest = Buffer.concat([rest, part])
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE()
      const frame = rest.subarray(0, end)
      const { type, object } = decodeWatchEvent(frame.subarray(4))
      const asOurs = encodeWatchFrame(type, object).equals(frame)
      yield { type, object: shown(object), ...(!asOurs && { protobuf: 'another frame than that of our encoder' }) }
      rest = rest.subarray(end)
    }
  }
}
