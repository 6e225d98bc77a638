import { spawn } from 'node:child_process'
import type { Clock } from '../../base/clock.ts'
import { FlexError } from './flex-error.ts'

const MOST_OUTPUT_BYTES = 1 << 20

export interface RunDriver {
  readonly program: string
  readonly args: readonly string[]
  readonly timeoutMs: number
  readonly clock: Clock
}

interface DriverOutput {
  /** Of both streams, as they came. */
  readonly text: string
  readonly code: number | null
}

/** Runs a driver's program once. One that hangs, or does not stop to write, is killed with all that it has started. @throws {FlexError} */
export function runDriver({ program, args, timeoutMs, clock }: RunDriver): Promise<DriverOutput> {
  const { promise, resolve, reject } = Promise.withResolvers<DriverOutput>()
  // A process group of its own, so that nothing of it survives.
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const giveUp = (why: string) => {
    reject(new FlexError(why))
    killGroup(child.pid)
  }
  const cancel = clock.after(timeoutMs, () => giveUp('Timeout'))
  const chunks: Buffer[] = []
  let size = 0
  const read = (chunk: Buffer) => {
    size += chunk.length
    if (size > MOST_OUTPUT_BYTES) giveUp(`the driver wrote more than ${MOST_OUTPUT_BYTES} bytes`)
    else chunks.push(chunk)
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  child.on('error', (error) => {
    cancel()
    reject(new FlexError(error.message, { cause: error }))
  })
  child.on('close', (code) => {
    cancel()
    resolve({ text: Buffer.concat(chunks).toString(), code })
  })
  return promise
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
