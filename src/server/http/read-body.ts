import { StatusError } from '../../machinery/status-error.ts'
import type { Exchange } from './exchange.ts'

/** The largest body that is taken: 3 MiB. */
export const BODY_LIMIT = 3 * 1024 * 1024

/** The whole body. Throws 413 for one that is too large; rejects when the client breaks off. */
export function readBody(exchange: Exchange): Promise<Buffer> {
  const { input } = exchange
  const announced = Number(exchange.headers['content-length'])
  if (announced > BODY_LIMIT) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    input.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > BODY_LIMIT) reject(tooLarge())
      else chunks.push(chunk)
    })
    input.on('end', () => {
      if ('aborted' in input && input.aborted) reject(brokenOff())
      else resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    input.on('aborted', () => reject(brokenOff()))
    input.on('error', reject)
    input.on('close', () => reject(brokenOff()))
  })
}

const brokenOff = () => new StatusError({ code: 400, reason: 'BadRequest', message: 'unexpected EOF' })

const tooLarge = () =>
  new StatusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${BODY_LIMIT}`,
    details: {},
  })
