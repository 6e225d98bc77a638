import { StatusError, tooLarge } from '../../machinery/status-error.ts'
import type { Exchange } from './exchange.ts'

/** Largest accepted body: 3 MiB. */
export const BODY_LIMIT = 3 * 1024 * 1024

/**
 * Reads the whole body. Throws 413 if it is too large, when the limit is passed: as kube-apiserver, because some clients read no response
 * while they send. Rejects if the client aborts.
 */
export function readBody(exchange: Exchange): Promise<Buffer> {
  const { input } = exchange
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let done = false
    const fail = (error: unknown) => {
      done = true
      reject(error)
    }
    input.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= BODY_LIMIT) chunks.push(chunk)
      else if (!done) fail(tooLarge(`limit is ${BODY_LIMIT}`))
    })
    // An aborted body emits 'end', too.
    input.on('end', () => {
      if ('aborted' in input && input.aborted) fail(brokenOff())
      done = true
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    const broke = () => {
      if (!done) fail(brokenOff())
    }
    input.on('aborted', broke)
    input.on('error', broke)
    input.on('close', broke)
  })
}

const brokenOff = () => new StatusError({ code: 400, reason: 'BadRequest', message: 'unexpected EOF' })
