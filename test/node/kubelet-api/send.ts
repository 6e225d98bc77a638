import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import type { Frame, Got, Row } from './recording.ts'

export interface Where {
  readonly host: string
  readonly port: number
  readonly ca: string
  readonly cert?: string
  readonly key?: string
  readonly token?: string
}

/** How long to wait for more data of a stream. */
const QUIET_MS = 500
const LONGEST_MS = 15_000

/** Sends a recorded request, on a connection of its own. */
export function send(row: Row, { host, port, ca, cert, key, token }: Where): Promise<Omit<Got, 'reviews'>> {
  const upgrades = row.sent?.Upgrade !== undefined
  return new Promise((resolve, reject) => {
    const websocket = row.sent?.Upgrade === 'websocket' ? { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' } : {}
    const request = https.request({
      host,
      port,
      ca,
      ...(cert !== undefined && { cert, key }),
      method: row.method ?? 'GET',
      path: row.path,
      agent: false,
      // The server's certificate has the address of the recording.
      checkServerIdentity: () => undefined,
      headers: {
        ...row.sent,
        ...websocket,
        ...(upgrades || row.sent?.Connection ? {} : { Connection: 'close' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
    })
    request.setTimeout(LONGEST_MS, () => request.destroy(new Error('no answer')))
    request.on('error', reject)
    request.on('response', (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => resolve({ ...head(answer), body: Buffer.concat(parts).toString() }))
    })
    request.on('upgrade', (answer, socket, first) => {
      const done = (frames?: readonly Frame[]) => {
        socket.destroy()
        resolve({ ...head(answer), body: '', ...(frames && { frames }) })
      }
      if (row.sent?.Upgrade !== 'websocket') return done()
      for (const { opcode, hex } of row['frames sent'] ?? []) socket.write(masked(opcode, Buffer.from(hex, 'hex')))
      void listen(socket, first).then(done, reject)
    })
    request.end()
  })
}

function head({ statusCode = 0, rawHeaders }: IncomingMessage): Pick<Got, 'code' | 'headers'> {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers[(rawHeaders[i] ?? '').toLowerCase()] = rawHeaders[i + 1] ?? ''
  return { code: statusCode, headers }
}

/** A frame as a client sends it. */
function masked(opcode: number, payload: Buffer): Buffer {
  const mask = Buffer.of(1, 2, 3, 4)
  return Buffer.concat([Buffer.of(0x80 | opcode, 0x80 | payload.length), mask, payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))])
}

async function listen(socket: Duplex, first: Buffer): Promise<Frame[]> {
  let held = first
  const frames: Frame[] = []
  await new Promise<void>((resolve) => {
    let quiet: NodeJS.Timeout = setTimeout(resolve, LONGEST_MS)
    const take = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk])
      for (;;) {
        const read = readFrame(held)
        if (read === undefined) break
        held = read.rest
        if (read.frame !== undefined) frames.push(read.frame)
        if (read.frame?.close !== undefined) return resolve()
      }
      clearTimeout(quiet)
      quiet = setTimeout(resolve, QUIET_MS)
    }
    socket.on('data', take)
    socket.on('close', () => resolve())
    socket.on('error', () => resolve())
    take(Buffer.alloc(0))
    clearTimeout(quiet)
    quiet = setTimeout(resolve, QUIET_MS * 4)
  })
  return frames
}

function readFrame(held: Buffer): { readonly frame: Frame | undefined; readonly rest: Buffer } | undefined {
  if (held.length < 2) return undefined
  const opcode = held.readUInt8(0) & 0x0f
  let length = held.readUInt8(1) & 0x7f
  let at = 2
  if (length === 126) {
    if (held.length < 4) return undefined
    length = held.readUInt16BE(2)
    at = 4
  } else if (length === 127) {
    if (held.length < 10) return undefined
    length = Number(held.readBigUInt64BE(2))
    at = 10
  }
  if (held.length < at + length) return undefined
  const payload = held.subarray(at, at + length)
  const rest = held.subarray(at + length)
  if (opcode === 8) return { frame: { close: payload.length >= 2 ? payload.readUInt16BE(0) : 1005 }, rest }
  if (opcode === 1) return { frame: { text: payload.toString() }, rest }
  if (opcode === 2) return { frame: { channel: payload.readUInt8(0), data: shown(payload.subarray(1)) }, rest }
  return { frame: undefined, rest }
}

/** The notation of the recordings for binary data. */
function shown(bytes: Buffer): string {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) && !bytes.includes(0) ? text : `hex ${bytes.toString('hex')}`
}
